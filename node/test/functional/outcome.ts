import { NOT_PASSING } from "./not-passing.ts"

/** What became of a run, against the list of scripts that do not pass. */
export interface Outcome {
  readonly passed: number
  /** Failed, and listed with a reason. */
  readonly listed: ReadonlyArray<string>
  /** Failed, and not listed. */
  readonly unexpected: ReadonlyArray<string>
  /** Passed, though listed: the list can be shorter. */
  readonly better: ReadonlyArray<string>
}

const LINE = /^((?:feature|interface|mempool|mining|p2p|rpc)_\w+) (passed|failed)/gm

export const outcomeOf = (
  output: string,
  known: Readonly<Record<string, string>> = NOT_PASSING
): Outcome => {
  const all = [...output.matchAll(LINE)].map(([, name, state]) => ({ name: name!, passed: state === "passed" }))
  const named = (names: typeof all): ReadonlyArray<string> => names.map(({ name }) => name)
  const isListed = ({ name }: { readonly name: string }): boolean => Object.hasOwn(known, name)
  const failed = all.filter(({ passed }) => !passed)
  return {
    passed: all.length - failed.length,
    listed: named(failed.filter(isListed)),
    unexpected: named(failed.filter((each) => !isListed(each))),
    better: named(all.filter((each) => each.passed && isListed(each)))
  }
}

/** Lines for people. */
export const report = ({ better, listed, passed, unexpected }: Outcome): ReadonlyArray<string> => [
  `${passed} passed, ${listed.length} failed as listed, ${unexpected.length} failed`,
  ...unexpected.map((name) => `${name} fails and is not in not-passing.ts`),
  ...better.map((name) => `${name} passes: take it out of not-passing.ts`)
]
