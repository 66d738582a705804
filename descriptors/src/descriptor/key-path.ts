import * as Result from "effect/Result"

/** First number of hardened children, whose derivation needs the private key. */
export const HARDENED = 0x80000000

/** Paths from a key to its children; several if a step lists alternatives. */
export interface KeyPaths {
  readonly paths: ReadonlyArray<ReadonlyArray<number>>
  /** Mark of the last hardened step; `undefined` without hardened steps. */
  readonly mark: "'" | "h" | undefined
}

interface Step {
  readonly child: number
  readonly mark: "'" | "h" | undefined
}

const DIGITS = /^[0-9]+$/

const stepOf = (text: string): Result.Result<Step, string> => {
  const last = text.at(-1)
  const mark = last === "'" || last === "h" ? last : undefined
  const digits = mark === undefined ? text : text.slice(0, -1)
  const number = Number(digits)
  if (!DIGITS.test(digits) || number >= 2 ** 32) return Result.fail(`Key path value '${digits}' is not a valid uint32`)
  if (number >= HARDENED) return Result.fail(`Key path value ${digits} is out of range`)
  return Result.succeed({ child: mark === undefined ? number : number + HARDENED, mark })
}

const alternativesOf = (text: string): Result.Result<ReadonlyArray<Step>, string> =>
  Result.gen(function*() {
    const texts = text.slice(1, -1).split(";")
    if (texts.length < 2) return yield* Result.fail("Multipath key path specifiers must have at least two items")
    const steps: Array<Step> = []
    for (const each of texts) {
      const step = yield* stepOf(each)
      if (steps.some(({ child }) => child === step.child)) {
        return yield* Result.fail(`Duplicated key path value ${step.child} in multipath specifier`)
      }
      steps.push(step)
    }
    return steps
  })

/** Parses the paths given by steps. */
export const keyPathsOf = (
  texts: ReadonlyArray<string>,
  allowsAlternatives: boolean
): Result.Result<KeyPaths, string> =>
  Result.gen(function*() {
    const steps: Array<ReadonlyArray<Step>> = []
    for (const text of texts) {
      if (!text.startsWith("<") || !text.endsWith(">")) {
        steps.push([yield* stepOf(text)])
        continue
      }
      if (!allowsAlternatives) {
        return yield* Result.fail(
          `Key path value '${text}' specifies multipath in a section where multipath is not allowed`
        )
      }
      if (steps.some(({ length }) => length > 1)) {
        return yield* Result.fail("Multiple multipath key path specifiers found")
      }
      steps.push(yield* alternativesOf(text))
    }
    const count = Math.max(1, ...steps.map(({ length }) => length))
    return {
      paths: Array.from({ length: count }, (_, i) => steps.map((each) => each[each.length === 1 ? 0 : i]!.child)),
      mark: steps.flat().findLast(({ mark }) => mark !== undefined)?.mark
    }
  })

/** Formats a path, each step after a slash. */
export const pathText = (path: ReadonlyArray<number>, mark: "'" | "h" = "h"): string =>
  path.map((child) => `/${child >= HARDENED ? `${child - HARDENED}${mark}` : child}`).join("")
