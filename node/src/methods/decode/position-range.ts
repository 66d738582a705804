import * as Result from "effect/Result"
import { JsonNumber, type JsonRead } from "../../json/json-value.ts"
import { integerOf } from "../definition/parameter.ts"
import { invalidParameter, type CallError } from "../../queries/call-error.ts"

/** Positions of a ranged descriptor, including both ends. */
export interface PositionRange {
  readonly from: number
  readonly to: number
}

const LARGEST = 2 ** 31 - 1
const MOST = 1_000_000

const integer = (value: JsonRead): Result.Result<number, CallError> =>
  integerOf(value, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)

const ends = (value: JsonRead): Result.Result<PositionRange, CallError> =>
  Result.gen(function*() {
    if (value instanceof JsonNumber) return { from: 0, to: yield* integer(value) }
    if (!Array.isArray(value) || value.length !== 2 || !value.every((each) => each instanceof JsonNumber)) {
      return yield* Result.fail(invalidParameter("Range must be specified as end or as [begin,end]"))
    }
    const from = yield* integer(value[0] as JsonRead)
    const to = yield* integer(value[1] as JsonRead)
    return from <= to
      ? { from, to }
      : yield* Result.fail(invalidParameter("Range specified as [begin,end] must not have begin after end"))
  })

/** Reads a range from its last position, or from its first and last positions. */
export const positionRangeOf = (value: JsonRead): Result.Result<PositionRange, CallError> =>
  Result.flatMap(ends(value), (range) => {
    if (range.from < 0) return Result.fail(invalidParameter("Range should be greater or equal than 0"))
    if (range.to < 0 || range.to > LARGEST) return Result.fail(invalidParameter("End of range is too high"))
    return range.to >= range.from + MOST ? Result.fail(invalidParameter("Range is too large")) : Result.succeed(range)
  })
