"""Logs as they come: their forms, names, orders, and what is no log."""

import json
import math
import os
import pty
import re
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from skillkit.cli import skillkit
from skillkit.diagnosis.events import _joined
from skillkit.diagnosis.logs import parsed
from skillkit.diagnosis.runs import Run, read_runs
from skillkit.errors import BadInput

EXAMPLE = "tests/logs/bad-batches.csv"


def runs(text: str, **columns: str) -> list[Run]:
    return read_runs(parsed(text, "log"), columns)


def points(text: str, role: str = "loss", **columns: str) -> list[tuple[float, float]]:
    (run,) = runs(text, **columns)
    return list(zip(run.series[role].steps, run.series[role].values, strict=True))


def diagnosed(*arguments: str, given: str | None = None) -> Result:
    return CliRunner().invoke(skillkit, ["diagnose", *arguments], input=given)


ROWS = [(1.0, 3.0), (2.0, 2.0), (3.0, 1.5)]
FORMS = {
    "csv": "step,loss\n1,3\n2,2\n3,1.5\n",
    "no line end": "step,loss\n1,3\n2,2\n3,1.5",
    "semicolons and decimal commas": "step;loss\n1;3,0\n2;2,0\n3;1,5\n",
    "tabs": "step\tloss\n1\t3\n2\t2\n3\t1.5\n",
    "windows": "step,loss\r\n1,3\r\n2,2\r\n3,1.5\r\n",
    "comments": "# run of monday\n# lr 1e-3\nstep,loss\n1,3\n2,2\n3,1.5\n",
    "quotes": '"step","loss"\n"1","3"\n"2","2"\n"3","1.5"\n',
    "tensors": "step,loss\n1,tensor(3.0)\n2,tensor(2.0)\n3,tensor(1.5)\n",
    "json lines": '{"step": 1, "loss": 3}\n{"step": 2, "loss": 2}\n\n{"step": 3, "loss": 1.5}\n',
    "a last line that is cut off": '{"step": 1, "loss": 3}\n{"step": 2, "loss": 2}\n{"step": 3, "loss": 1.5}\n{"ste',
    "json list": '[{"step": 1, "loss": 3}, {"step": 2, "loss": 2}, {"step": 3, "loss": 1.5}]',
    "json columns": '{"step": [1, 2, 3], "loss": [3, 2, 1.5]}',
    "nested": "\n".join(
        f'{{"step": {step}, "train": {{"loss": {loss}}}}}' for step, loss in [(1, 3), (2, 2), (3, 1.5)]
    ),
    "trainer_state": json.dumps(
        {
            "best_metric": None,
            "log_history": [
                {"epoch": 0.1, "step": 1, "loss": 3},
                {"epoch": 0.2, "step": 2, "loss": 2},
                {"epoch": 0.2, "step": 2, "eval_loss": 2.5},
                {"epoch": 0.3, "step": 3, "loss": 1.5},
                {"epoch": 0.3, "step": 3, "train_loss": 2.1, "total_flos": 1e17},
            ],
        },
        indent=2,
    ),
    "metrics in rows": "key,value,step\nloss,3,1\nacc,0.1,1\nloss,2,2\nacc,0.2,2\nloss,1.5,3\nacc,0.3,3\n",
    "out of order": "step,loss\n3,1.5\n1,3\n2,2\n",
    "empty cells": "step,loss,val_loss\n1,3,\n1,,3.1\n2,2,\n3,1.5,\n3,,1.6\n",
    "NaN in the place of nothing": "step,loss,val_loss\n1,3,NaN\n1,NaN,3.1\n2,2,NaN\n2,NaN,2.1\n3,1.5,NaN\n",
    "infinities of another column": "step,loss,scale\n1,3,inf\n2,2,inf\n3,1.5,-inf\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_a_log_is_read_in_its_form(form: str) -> None:
    assert points(FORMS[form]) == ROWS


@pytest.mark.parametrize(
    ("header", "roles"),
    [
        ("_step,train/loss,val/loss,train/lr,train/grad_norm", "step loss validation rate gradient"),
        ("Step,Train Loss,Valid-Loss,LR,Grad Norm", "step loss validation rate gradient"),
        ("iter,training_loss,eval/loss,learning_rate,gnorm", "step loss validation rate gradient"),
        ("global_step,loss/train,loss/val,lr-AdamW,norm", "step loss validation rate gradient"),
        ("Wall time,Step,Value", "- step loss"),
    ],
)
def test_columns_are_found_by_their_usual_names(header: str, roles: str) -> None:
    names = header.split(",")
    (run,) = runs(
        f"{header}\n" + "\n".join(",".join(str(row + column) for column in range(len(names))) for row in range(9))
    )
    assert run.columns == {role: name for role, name in zip(roles.split(), names, strict=True) if role != "-"}


def test_other_names_are_said() -> None:
    text = "tick,objective\n1,3\n2,2\n3,1.5\n"
    assert points(text, step="tick", loss="objective") == ROWS
    with pytest.raises(BadInput, match=r"no column called as losses usually are; .* its columns are tick, objective"):
        runs(text)
    with pytest.raises(BadInput, match=r"no column 'objektive' \(did you mean 'objective'\?\)"):
        runs(text, loss="objektive")
    with pytest.raises(BadInput, match="'--column loss=my_loss_7'"):
        runs("step,my_loss_7\n1,2\n")


def test_columns_without_names_are_called_by_their_number() -> None:
    assert points("1,3\n2,2\n3,1.5\n", step="1", loss="2") == ROWS


def test_validation_alone_is_a_loss() -> None:
    assert points("epoch,val_loss\n1,3\n2,2\n3,1.5\n") == ROWS


def test_rows_are_counted_where_nothing_counts_updates() -> None:
    (run,) = runs("loss\n3\n2\n1.5\n")
    assert (run.unit, run.loss.steps) == ("row", [1, 2, 3])


def test_what_was_exported_from_wandb_has_a_run_for_each_name() -> None:
    header = ["Step"]
    for name in ("calm-sun-1", "odd - moon-2"):
        header += [f"{name} - train/loss", f"{name} - train/loss__MIN", f"{name} - train/loss__MAX"]
    rows = [
        ["1", "3", "0", "9", "", "", ""],
        ["2", "2", "0", "9", "7", "0", "9"],
        ["3", "1.5", "0", "9", "6", "0", "9"],
    ]
    first, second = runs("\n".join(",".join(f'"{cell}"' for cell in row) for row in [header, *rows]))
    assert (first.name, second.name) == ("calm-sun-1", "odd - moon-2")
    assert list(zip(first.loss.steps, first.loss.values, strict=True)) == ROWS
    assert (second.loss.steps, second.loss.values) == ([2, 3], [7, 6])


def test_a_column_of_names_divides_runs() -> None:
    first, second = runs("run,step,loss\na,1,3\nb,1,9\na,2,2\nb,2,8\n")
    assert (first.name, first.loss.values, second.name, second.loss.values) == ("a", [3, 2], "b", [9, 8])


def test_a_file_that_was_appended_to_holds_several_runs() -> None:
    rows = "\n".join(f"{step},{10 - step}" for step in range(5))
    first, second = runs(f"step,loss\n{rows}\n{rows}\n")
    assert (first.name, first.loss.steps, second.name) == ("1", [0, 1, 2, 3, 4], "2")


def test_steps_that_begin_anew_in_each_epoch_are_added_up() -> None:
    rows = "\n".join(f"{epoch},{step},{3 - epoch}" for epoch in range(3) for step in range(4))
    (run,) = runs(f"epoch,batch,loss\n{rows}\n")
    assert run.loss.steps == list(range(12))
    assert run.notes == ["the steps begin anew in each of 3 epochs: they are added up"]


def test_repeated_steps_count_once_and_later_rows_win() -> None:
    rows = [f"{step},1" for step in range(300)] + [f"{step},2" for step in range(250, 400)]
    (run,) = runs("step,loss\n" + "\n".join(rows))
    assert run.loss.steps == list(range(400))
    assert [run.loss.values[step] for step in (249, 250, 399)] == [1, 2, 2]
    assert [(resume.step, resume.kind, len(resume.before)) for resume in run.resumes] == [(250, "repeat", 50)]


def test_shuffled_rows_are_sorted_and_are_no_resumes() -> None:
    rows = [f"{step * 37 % 101},{step}" for step in range(101)]
    (run,) = runs("step,loss\n" + "\n".join(rows))
    assert run.loss.steps == list(range(101))
    assert (run.resumes, len(run.notes)) == ([], 1)


def test_missing_updates_are_a_gap() -> None:
    (run,) = runs("step,loss\n" + "\n".join(f"{step},1" for step in [*range(50), *range(80, 120)]))
    assert [(resume.step, resume.kind) for resume in run.resumes] == [(80, "gap")]


def test_numbers_that_are_none_are_kept_apart() -> None:
    (run,) = runs("step,loss\n1,3\n2,NaN\n3,inf\n4,-Infinity\n")
    assert run.loss.values == [3]
    (second, third, fourth) = run.broken["loss"]
    assert (second[0], math.isnan(second[1]), third, fourth) == (2, True, (3, math.inf), (4, -math.inf))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        (" \n\n", "is empty"),
        ("step,loss\n", "has no numbers"),
        ("once upon a time\nthere was a loss", "is no log that can be read"),
        ("%PDF-1.4 \0\0", "is no log that can be read"),
        ("{", "not JSON"),
        ("[1, 2]", "row 1 is no object"),
        ('{"a": 1}\n{"b"\n{"a": 2}\n', "log:2:1: not JSON"),
        ('"step","loss"\n1,a\n', "has no column called|no numbers"),
        ("step,loss,loss\n1,2,3\n", "two columns called loss"),
        ('{"loss": {"a": {"b": {"c": {"d": 1}}}}}', "no numbers|no column"),
        ("[" * 100_000, "nested too deep|not JSON"),
        ('{"log_history": []}', "no numbers"),
    ],
)
def test_what_is_no_log_is_said(text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        runs(text)


@pytest.mark.parametrize(
    "cell", ["step,loss\n5,2\n", "loss\n2", '{"loss": 1}', "step,loss\n1,nan\n", "step,loss\n1e400,1\n2,1\n"]
)
def test_a_log_of_one_row_is_too_little(cell: str) -> None:
    found = diagnosed("-", given=cell)
    assert found.exit_code in (0, 1)
    assert "20 rows or more" in found.stdout


def ended(*arguments: str, **more: Any) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "skillkit", "diagnose", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


def test_who_is_to_type_is_told_so() -> None:
    ours, theirs = pty.openpty()
    os.write(ours, b"step,loss\n1,2\n2,1.5\n\x04")
    done = ended("-", stdin=theirs)
    assert (done.returncode, "2 rows" in done.stdout) == (0, True)
    assert done.stderr == "reading what you type: Ctrl-D on a line of its own ends it\n"
    assert ended("-", input="step,loss\n1,2\n2,1.5\n").stderr == ""
    os.close(ours)
    os.close(theirs)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.csv"], "nowhere.csv: no such file"),
        (["tests"], "is a folder without event files"),
        ([EXAMPLE, "--set", "classes=one"], "classes must be a whole number of at least 2, not 'one'"),
        ([EXAMPLE, "--set", "clases=10"], "unknown key 'clases' (did you mean 'classes'?)"),
        ([EXAMPLE, "--set", "10"], "must be classes=N, not '10'"),
        ([EXAMPLE, "--column", "los=loss"], "unknown 'los' (did you mean 'loss'?)"),
        ([EXAMPLE, "--column", "loss"], "must be ROLE=NAME"),
        ([EXAMPLE, "--column", "loss=los"], "has no column 'los' (did you mean 'loss'?)"),
        ([EXAMPLE, "--run", "a"], "has no run 'a'; there is one, without a name"),
    ],
)
def test_what_is_said_wrongly_is_asked_back(arguments: list[str], message: str) -> None:
    done = ended(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_one_run_of_several_is_chosen() -> None:
    text = "run,step,loss\na,1,3\nb,1,9\na,2,2\nb,2,8\n"
    assert [run["run"] for run in json.loads(diagnosed("-", "--json", given=text).stdout)] == ["a", "b"]
    assert [run["run"] for run in json.loads(diagnosed("-", "--json", "--run", "b", given=text).stdout)] == ["b"]


def test_programs_read_what_people_do() -> None:
    ((run),) = json.loads(diagnosed(EXAMPLE, "--json").stdout)
    (symptom,) = run["symptoms"]
    text = diagnosed(EXAMPLE).stdout
    assert run["columns"]["gradient"] == "grad_norm"
    assert (symptom["kind"], symptom["issue"]) == ("spikes", "loss-spikes")
    assert symptom["says"] in text
    assert symptom["advice"]["check"] in text
    assert len(symptom["at"]) == symptom["evidence"]["spikes"] == 3


def test_the_exit_code_alone_says_whether_anything_is_seen() -> None:
    assert (ended(EXAMPLE, "-q").returncode, ended(EXAMPLE, "-q").stdout) == (1, "")
    calm = "loss\n" + "\n".join(str(2 * 0.97**step + 0.01 * (step % 3)) for step in range(200))
    found = diagnosed("-", given=calm)
    assert found.exit_code == 0
    assert "Nothing wrong is seen." in found.stdout


@pytest.mark.skipif(find_spec("tensorboard") is not None, reason="it is installed")
def test_what_tensorboard_wrote_needs_its_reader(tmp_path: Path) -> None:
    (tmp_path / "events.out.tfevents.1.host").write_bytes(b"\0")
    for path in (tmp_path, tmp_path / "events.out.tfevents.1.host"):
        done = ended(str(path))
        assert done.returncode == 2
        assert "pip install tensorboard" in done.stderr


def test_rows_of_tensorboard_are_joined_by_step_in_the_order_of_time() -> None:
    again = [(9.0, 2, 2.5), (10.0, 3, 1.5)]
    table = _joined(
        {"loss": [(1.0, 1, 3.0), (2.0, 2, 2.0), *again], "lr": [(1.1, 1, 0.1), (2.1, 2, 0.2), (9.1, 2, 0.3)]}, "log"
    )
    assert table.columns["step"].values.tolist() == [1, 2, 2, 3]
    assert table.columns["loss"].values.tolist() == [3, 2, 2.5, 1.5]
    assert (table.columns["lr"].rows.tolist(), table.columns["lr"].values.tolist()) == ([0, 1, 2], [0.1, 0.2, 0.3])


@pytest.mark.skipif(find_spec("tensorboard") is None, reason="the files are written and read by it")
def test_tensorboard_s_files_are_read_by_its_reader(tmp_path: Path) -> None:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    for name in ("a", "b"):
        writer = EventFileWriter(str(tmp_path / name))
        for step in range(60):
            value = Summary.Value(tag="train/loss", simple_value=math.nan if step >= 40 else 60 - step)
            writer.add_event(Event(step=step, wall_time=step, summary=Summary(value=[value])))
        writer.close()
    (first, second) = json.loads(ended(str(tmp_path), "--json").stdout)
    assert [(run["run"], run["symptoms"][0]["kind"]) for run in (first, second)] == [("a", "nan"), ("b", "nan")]
    assert first["symptoms"][0]["first"] == 40


def test_a_million_rows_take_seconds(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    with path.open("w") as file:
        file.write("step,loss,lr\n")
        file.writelines(
            f"{step},{2 * math.exp(-step / 2e5) + 0.05 * (step * 7919 % 101) / 101:.5f},1e-3\n" for step in range(10**6)
        )
    began = time.perf_counter()
    done = ended(str(path), "--json")
    assert time.perf_counter() - began < 30
    assert re.search(r'"rows": 1000000', done.stdout)
    assert done.returncode == 0
