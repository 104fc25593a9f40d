"""Sums."""

X = "ab c"


def mean(values):
    '''Return "x"

    more
    '''
    return X


def example_mean():
    assert mean(1)


def check_mean():
    assert mean(1)
