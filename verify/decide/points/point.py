"""Explicit points of a recipe's domain.

A point gives every length a number, every coordinate and parameter an exact rational, and every
abstract function, derivative and matrix entry a rational of its own. The jets of a smooth function
may be chosen freely (mixed partials symmetric, positive functions positive); those of an
elementwise function only at distinct arguments. Parameters meet the conditions of the proof at
hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Expr, Rational, Symbol

from recipe.language.assumed import ParameterCondition, assumed
from recipe.language.blocks import Scalar, Vector
from recipe.language.calculus import abstract_atoms
from recipe.language.domain import on_simplex
from recipe.language.symbols import GENERIC, Length
from recipe.language.total import free_indexed
from verify.decide.points.balls import Ball, NoValueError
from verify.decide.points.candidate_values import fits, is_discrete, is_inside
from verify.decide.points.chosen_values import ChosenValues
from verify.decide.points.condition_places import Places, keys_of, lengths_of, places_of
from verify.decide.points.evaluate import value_at
from verify.decide.points.keys import key_of, symbol_of
from verify.decide.points.show_values import show_values

TRIES_UNDER_CONDITIONS = 400  # choices of parameters among which one meets all conditions


class Point(ChosenValues):
    """One point of the domain, at which expressions are evaluated; the arguments are those of
    ``ChosenValues``.
    """

    def __init__(
        self,
        sizes: Mapping[Length, int],
        seed: int,
        *,
        edge: bool = False,
        origin: bool = False,
        generic: bool = False,
    ) -> None:
        super().__init__(sizes, seed, edge=edge, origin=origin, generic=generic)
        self._conditions_hold = False
        self._parameters_put = False

    def evaluate(self, e: Expr, places: Places | None = None) -> Ball:
        """Return a ball that contains the value of ``e``, each free label standing for the
        coordinate in ``places``.

        Raises:
            NoValueError: if the expression is not defined at the point, or its value depends on
                numbers that ball arithmetic cannot tell apart.
        """
        if assumed():
            self._check_conditions(assumed())
        value = value_at(e, self, places or {})
        if not value.is_finite():
            raise NoValueError(f"{e} is not finite there")
        return value

    def is_exactly_zero(self, e: Expr, places: Places) -> bool:
        """Return True if rational arithmetic shows that the expression is zero at the point.

        False for expressions with abstract functions, which are not evaluated this way.
        """
        if abstract_atoms(e):
            return False
        values = {
            s: self.choose(s.at(GENERIC), places[s.label])
            for s in free_indexed(e)
            if not isinstance(s, Length)
        }
        values |= {
            s: self.choose(s) for s in e.atoms(Symbol) - values.keys() if not isinstance(s, Length)
        }
        lengths = {s: Rational(self.sizes[s]) for s in e.atoms(Length)}
        return bool(e.xreplace(values | lengths) == 0)

    def shown(self) -> dict[str, str | list[str]]:
        """The values chosen so far, by printable name; a vector as the list of its coordinates."""
        return show_values(self.sizes, self._values)

    # -- moving
    # ----------------------------------------------------------------------------------------------

    def movable(self) -> list[Any]:
        """The keys of the values that may vary continuously: coordinates, parameters and free
        values.

        Empty if a value of an elementwise function was chosen, as that belongs to its arguments.
        """
        if any(isinstance(key, tuple) and key[0] == "function" for key in self._values):
            return []
        return [
            key for key in self._values if symbol_of(key) is None or not is_discrete(symbol_of(key))
        ]

    def value_of(self, key: Any) -> Rational:
        """The value chosen for a key."""
        return self._values[key]

    def moved(self, values: Mapping[Any, Rational]) -> Point | None:
        """The point with some values replaced.

        None if a new value violates the declaration of its symbol, or changes the sign of a jet.
        """
        for key, value in values.items():
            symbol = symbol_of(key)
            if symbol is None and value * self._values[key] <= 0:
                return None
            if symbol is not None and not (fits(value, symbol) and is_inside(value, symbol)):
                return None
        point = Point(self.sizes, 0, edge=self._edge)
        point._values = {**self._values, **values}
        return None if point._leaves_a_simplex() or not point.meets_conditions() else point

    def _leaves_a_simplex(self) -> bool:
        totals: dict[Any, Rational] = {}
        for key, value in self._values.items():
            symbol = symbol_of(key)
            if on_simplex(symbol):
                totals[symbol] = totals.get(symbol, Rational(0)) + value
        return any(total >= 1 for total in totals.values())

    # -- conditions between parameters
    # ----------------------------------------------------------------------------------------------

    def choose(self, symbol: Symbol, k: int | None = None) -> Rational:
        """The value of coordinate k of a block, or with ``k=None`` of a plain symbol.

        Raises:
            NoValueError: if no candidate satisfies the assumptions of the symbol, or the conditions
                of the proof at hand.
        """
        if assumed() and key_of(symbol, k) not in self._values:
            self._choose_under(assumed())
        return super().choose(symbol, k)

    def put(self, symbol: Symbol, k: int | None, value: Rational) -> None:
        """Set a value as ``ChosenValues.put`` does; conditions between parameters are then
        checked when an expression is evaluated.
        """
        self._parameters_put |= not isinstance(symbol, Vector | Scalar)
        super().put(symbol, k, value)

    def meets_conditions(self) -> bool:
        """Return True if the values chosen, and others that this call chooses, are seen to meet the
        conditions between parameters of the proof at hand.
        """
        try:
            self._choose_under(assumed())
        except NoValueError:
            return False
        return True

    def _choose_under(self, conditions: tuple[ParameterCondition, ...]) -> None:
        """Choose all parameters in conditions between parameters at once, so that these hold.

        Raises:
            NoValueError: if no such values were found.
        """
        if self._conditions_hold:
            return
        places = self._places_of(conditions)
        keys = [key for c, k in places for key in keys_of(c.e, k, self.sizes)]
        free = [key for key in dict.fromkeys(keys) if key not in self._values]
        self._conditions_hold = True  # while the conditions are evaluated below
        for _ in range(TRIES_UNDER_CONDITIONS if free else 1):
            self._known.clear()
            self._values |= {key: self._chosen(symbol_of(key)) for key in free}
            values = [(value_at(c.e, self, k), c) for c, k in places]
            if all(v > 0 if c.is_strict else v >= 0 for v, c in values):
                return
        self._conditions_hold = False
        self._known.clear()
        for key in free:
            del self._values[key]
        raise NoValueError("no values of the parameters were found for which the conditions hold")

    def _places_of(
        self, conditions: tuple[ParameterCondition, ...]
    ) -> list[tuple[ParameterCondition, Places]]:
        for c in conditions:
            if not lengths_of(c) <= self.sizes.keys():
                raise NoValueError(f"{c} is about parameters of an unknown length")
        return [(c, k) for c in conditions for k in places_of(c, self.sizes)]

    def _check_conditions(self, conditions: tuple[ParameterCondition, ...]) -> None:
        """Check the conditions that no choice of a parameter will check: those of lengths alone,
        and all of them where a parameter was put.

        Raises:
            NoValueError: where one of them does not hold.
        """
        if self._parameters_put:
            self._choose_under(conditions)
        for c in conditions:
            lengths = c.e.atoms(Length)
            if c.e.free_symbols == lengths and lengths <= self.sizes.keys():
                value = value_at(c.e, self, {})
                if not (value > 0 if c.is_strict else value >= 0):
                    raise NoValueError(f"{c} does not hold for these lengths")
