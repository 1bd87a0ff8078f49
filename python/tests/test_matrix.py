"""Preference matrices from arrays, frames, text and files."""

import pickle

import numpy
import pytest

import duel

VALUES = numpy.array([[0.5, 0.6, 0.7], [0.4, 0.5, 0.8], [0.3, 0.2, 0.5]])


def test_facts_of_a_small_matrix():
    matrix = duel.PreferenceMatrix(VALUES, ["a", "b", "c"], "small")
    assert matrix.condorcet_winner == 0 and matrix.copeland_winners == [0]
    assert matrix.borda_scores == pytest.approx([0.65, 0.6, 0.25])
    assert matrix.smith_set == [0]
    assert matrix.von_neumann_winner == pytest.approx([1, 0, 0])
    assert matrix.shape == (3, 3) and len(matrix) == 3
    assert matrix[0, 2] == 0.7 and (numpy.asarray(matrix) == VALUES).all()
    checked = matrix.assumptions()
    assert checked == matrix.check("condorcet", "total-order", "wst", "sst", "sti")
    # 0.5 (0 against 1 and 2) is the cost of a duel of the winner with 1 in average regret: Delta/2
    # over the divergence kl(0.4, 0.5); for 2 either opponent may be the cheaper one.
    kl = lambda p: p * numpy.log(2 * p) + (1 - p) * numpy.log(2 * (1 - p))
    cost = 0.05 / kl(0.4) + min(0.1 / kl(0.3), (0.05 + 0.1) / kl(0.2))
    assert matrix.lower_bound == pytest.approx(cost)


def test_there_may_be_no_winner():
    cycle = duel.PreferenceMatrix([[0.5, 0.7, 0.3], [0.3, 0.5, 0.7], [0.7, 0.3, 0.5]])
    assert cycle.condorcet_winner is None and cycle.smith_set == [0, 1, 2]
    assert cycle.von_neumann_winner == pytest.approx([1 / 3] * 3)
    assert "no Condorcet winner" in repr(cycle)


def test_the_array_out_is_a_view_and_read_only():
    matrix = duel.PreferenceMatrix(VALUES)
    view = matrix.values
    assert not view.flags.writeable and not view.flags.owndata
    assert numpy.shares_memory(view, matrix.values)
    with pytest.raises(ValueError):
        view[0, 1] = 0.9
    del matrix
    assert view[0, 1] == 0.6  # it keeps the matrix alive


def test_the_array_in_is_read_where_it_lies_and_not_kept():
    mine = VALUES.copy()
    matrix = duel.PreferenceMatrix(mine)
    mine[0, 1] = 0.9
    assert matrix[0, 1] == 0.6


@pytest.mark.parametrize("form", [
    VALUES.tolist(), numpy.asfortranarray(VALUES),
    numpy.pad(VALUES, 1)[1:-1, 1:-1], VALUES.astype(object), VALUES.astype(">f8"),
    tuple(map(tuple, VALUES)), duel.PreferenceMatrix(VALUES)])
def test_every_form_of_array_gives_the_same_matrix(form):
    assert (numpy.asarray(duel.PreferenceMatrix(form)) == VALUES).all()


def test_smaller_floats_are_made_exact():
    for dtype in (numpy.float32, numpy.float16):
        rounded = numpy.array([[0.5, 0.6, 0.7], [0.4, 0.5, 0.55], [0.3, 0.45, 0.5]], dtype=dtype)
        matrix = duel.PreferenceMatrix(rounded)
        assert (matrix.values + matrix.values.T == 1).all()
        assert numpy.abs(matrix.values - rounded).max() <= 4 * numpy.finfo(dtype).eps
        assert duel.simulate(rounded, "rucb", rounds=50, trials=2).trials == 2
    with pytest.raises(duel.InvalidData):
        duel.PreferenceMatrix(numpy.array([[0.5, 0.6], [0.6, 0.5]], dtype=numpy.float32))


def test_frame():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(VALUES, index=list("xyz"), columns=list("xyz"))
    matrix = duel.PreferenceMatrix(frame)
    assert matrix.arms == ["x", "y", "z"]
    assert matrix.to_pandas().equals(frame)


def test_csv(tmp_path):
    matrix = duel.PreferenceMatrix(VALUES, ["a", "b", "c"])
    file = tmp_path / "mine.csv"
    file.write_text(matrix.to_csv())
    for other in (duel.PreferenceMatrix(file), duel.PreferenceMatrix(str(file)),
                  duel.PreferenceMatrix.from_csv(matrix.to_csv()),
                  pickle.loads(pickle.dumps(matrix))):
        assert other == matrix
    with pytest.raises(duel.InvalidData):
        duel.PreferenceMatrix.from_csv("a,b\n0.5,x\n")
    with pytest.raises(duel.NotFound):
        duel.PreferenceMatrix(tmp_path / "none.csv")


def test_html_shows_every_cell_and_escapes_names():
    text = duel.PreferenceMatrix(VALUES, ["<b>", "b", "c"])._repr_html_()
    assert text.count("<td") == 9 and "&lt;b&gt;" in text and "<b>" not in text
    large = duel.PreferenceMatrix(numpy.full((30, 30), 0.5))._repr_html_()
    assert large.count("<td") == 400 and "the first 20 arms" in large


@pytest.mark.parametrize("values, words", [
    (numpy.full((2, 3), 0.5), "square"), (numpy.full(4, 0.5), "square"), (0.5, "square"),
    (numpy.full((2, 2), numpy.nan), "matrix"), (numpy.full((2, 2), 2.0), "matrix"),
    ([[0.5, 0.6], [0.6, 0.5]], "matrix"), (numpy.empty((0, 0)), "matrix"),
    ("no-such-matrix", "matrix")])
def test_what_is_no_matrix_is_refused_with_the_reason(values, words):
    with pytest.raises(duel.Error, match=words):
        duel.PreferenceMatrix(values)
    with pytest.raises(duel.Error, match="names"):
        duel.PreferenceMatrix(VALUES, ["a", "b"])


def test_named_matrices():
    assert "arxiv" in {entry["name"] for entry in duel.named_matrices()}
