"""`skillkit` and `python -m skillkit`."""


def main() -> None:
    """Run the command line; an interruption while it is still imported ends it as a later one does."""
    try:
        from skillkit.cli import main as run

        run()
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
