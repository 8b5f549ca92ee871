"""Counts from arrays, sparse matrices and files; what is wrong with them is one clear sentence."""

import gzip

import numpy as np
import pytest

from codegen import CountTable, read_counts
from codegen.files.counts import count_table
from recipe import RecipeError

DENSE = np.array([[2, 0, 1, 0], [0, 0, 0, 3], [1, 1, 1, 1]])
BAG = "3\n4\n7\n1 1 2\n1 3 1\n2 4 3\n3 1 1\n3 2 1\n3 3 1\n3 4 1\n"


def dense_of(table):
    found = np.zeros((len(table), table.width), dtype=int)
    for d in range(len(table)):
        for entry in range(table.starts[d], table.starts[d + 1]):
            found[d, table.columns[entry]] += table.counts[entry]
    return found


def test_arrays_and_sparse_matrices_of_every_kind_are_the_same_counts():
    sparse = pytest.importorskip("scipy.sparse")
    kinds = [DENSE, DENSE.astype(float)]
    kinds += [kind(DENSE) for kind in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_array)]
    for kind in kinds:
        assert (dense_of(count_table(kind)) == DENSE).all()
    assert len({count_table(kind).digest for kind in kinds}) == 1
    given = sparse.coo_matrix(([1, 1, 5], ([0, 0, 1], [2, 2, 0])), shape=(2, 3))
    assert dense_of(count_table(given)).tolist() == [[0, 0, 2], [5, 0, 0]]
    assert given.nnz == 3  # what was given is not changed


def test_rows_are_fetched_in_the_order_in_which_they_are_named():
    starts, columns, counts = count_table(DENSE).rows([2, 0, 2])
    assert starts.tolist() == [0, 4, 6, 10]
    assert columns.tolist() == [0, 1, 2, 3, 0, 2, 0, 1, 2, 3]
    assert counts.tolist() == [1, 1, 1, 1, 2, 1, 1, 1, 1, 1]
    assert (dense_of(count_table(DENSE).some([1, 0])) == DENSE[[1, 0]]).all()


@pytest.mark.parametrize("packed", [False, True])
def test_a_bag_of_words_file_is_read(tmp_path, packed):
    path = tmp_path / ("words.txt.gz" if packed else "words.txt")
    (gzip.open if packed else open)(path, "wt").write(BAG)
    assert (dense_of(read_counts(path)) == DENSE).all()


def test_lines_of_a_bag_of_words_file_may_come_in_any_order(tmp_path):
    head, lines = BAG.splitlines()[:3], BAG.splitlines()[3:]
    path = tmp_path / "words.txt"
    path.write_text("\n".join([*head, *reversed(lines)]) + "\n")
    assert (dense_of(read_counts(path)) == DENSE).all()


def test_a_libsvm_file_is_read_without_its_labels(tmp_path):
    path = tmp_path / "words.svm"
    path.write_text("1 1:2 3:1\n-1 4:3\n1 1:1 2:1 3:1 4:1\n")
    assert (dense_of(read_counts(path)) == DENSE).all()
    assert read_counts(path, columns=9).width == 9


WRONG_FILES = {
    "a word out of range": (BAG.replace("2 4 3", "2 5 3"), "line 6 has the word 5 of 1 to 4"),
    "the word 0": (BAG.replace("2 4 3", "2 0 3"), "line 6 has the word 0 of 1 to 4"),
    "a document out of range": (BAG.replace("2 4 3", "4 4 3"), "line 6 has the document 4"),
    "a negative count": (BAG.replace("2 4 3", "2 4 -3"), "line 6 has the count -3"),
    "a count of 0": (BAG.replace("2 4 3", "2 4 0"), "line 6 has the count 0"),
    "an empty document": (BAG.replace("2 4 3", "3 4 3").replace("3 4 1\n", "3 4 1\n", 1), ""),
    "a word twice": (BAG.replace("3 4 1", "3 3 1"), "has a word of its document a second time"),
    "an end that is missing": (BAG[:-6], "says that it has 7 entries, and has 6"),
    "text": (BAG.replace("2 4 3", "2 four 3"), "line 6 is not 'document word count'"),
    "two numbers": (BAG.replace("2 4 3", "2 4"), "line 6 is not 'document word count'"),
    "a fraction": ("1 1:0.5\n", "counts are whole numbers, and 0.5 is none"),
    "a negative count of libsvm": ("1 1:2\n1 2:-1\n", "datum 1 has the count -1"),
    "a row of zeros": ("1 1:2\n1\n", "datum 1 has no items at all"),
    "nothing": ("", "has no rows"),
}


@pytest.mark.parametrize("name", WRONG_FILES)
def test_a_wrong_file_is_refused_in_one_sentence(tmp_path, name):
    text, said = WRONG_FILES[name]
    path = tmp_path / "words.txt"
    path.write_text(text)
    with pytest.raises(RecipeError) as caught:
        read_counts(path)
    assert said in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_empty_document_in_the_middle_of_a_file_is_named(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("3\n4\n2\n1 1 2\n3 3 1\n")
    with pytest.raises(RecipeError, match="datum 1 has no items at all"):
        read_counts(path)


WRONG_ARRAYS = {
    "a column out of range": (([0, 1], [4], [1], 4), "datum 0 has an item in column 4"),
    "a negative column": (([0, 1], [-1], [1], 4), "datum 0 has an item in column -1"),
    "a negative count": (([0, 1, 2], [0, 1], [1, -2], 4), "datum 1 has the count -2"),
    "an entry of 0": (([0, 1], [0], [0], 4), "an entry with the count 0"),
    "an empty datum": (([0, 1, 1, 1], [0], [1], 4), "datum 1 has no items at all, and 1 others"),
    "no data": (([0], [], [], 4), "there are no data"),
    "starts that descend": (([0, 2, 1], [0], [1], 4), "starts must ascend"),
    "too few counts": (([0, 2], [0, 1], [1], 4), "starts must ascend"),
    "fractions": (([0, 1], [0], [0.5], 4), "counts are whole numbers"),
    "two dimensions": (([0, 1], [[0]], [1], 4), "columns must be an array of whole numbers"),
}


@pytest.mark.parametrize("name", WRONG_ARRAYS)
def test_wrong_arrays_are_refused_in_one_sentence(name):
    arguments, said = WRONG_ARRAYS[name]
    with pytest.raises(RecipeError) as caught:
        CountTable(*arguments)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (np.array([[1, -1]]), "datum 0 has the count -1 in column 1"),
        (np.array([[1, 0], [0, 0]]), "datum 1 has no items"),
        (np.array([[1.5]]), "1.5 is none"),
        (np.array([[np.nan]]), "nan is none"),
        (np.zeros(3), "of the shape"),
        ("words", "of the shape"),
    ],
)
def test_wrong_matrices_are_refused_in_one_sentence(given, said):
    with pytest.raises(RecipeError, match=said):
        count_table(given)
