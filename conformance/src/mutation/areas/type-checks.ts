import type { Fault } from "./fault.ts"

/** Where the types of faults are checked: in the copy, with as many of them planted as are given. */
export interface TypeBench {
  /** Runs `trial` while the faults, all of different lines and declarations, stand in the copy. */
  readonly withFaults: <A>(faults: ReadonlyArray<Fault>, trial: () => Promise<A>) => Promise<A>
  /** The errors of the type check, as it writes them: each begins with the path of its file. */
  readonly typeErrors: () => Promise<ReadonlyArray<string>>
}

const PLACE = /^(.+)\((\d+),\d+\): /

const lastLine = ({ line, original }: Fault): number => line + original.split("\n").length - 1

/** Whether an error stands in the lines of a fault. */
const isAt = (error: string, fault: Fault): boolean => {
  const [, where, at] = PLACE.exec(error) ?? []
  return where === fault.file && Number(at) >= fault.line && Number(at) <= lastLine(fault)
}

const overlaps = (one: Fault, other: Fault): boolean =>
  one.file === other.file && one.line <= lastLine(other) && other.line <= lastLine(one)

const sharesDeclaration = (one: Fault, other: Fault): boolean => one.file === other.file && one.within === other.within

/** Faults in rounds, of each line and declaration one in a round: inside one, a fault may make an error at another's. */
const roundsOf = (faults: ReadonlyArray<Fault>): ReadonlyArray<ReadonlyArray<Fault>> => {
  const rounds: Array<Array<Fault>> = []
  for (const fault of faults) {
    const round = rounds.find((each) =>
      !each.some((other) => overlaps(other, fault) || sharesDeclaration(other, fault))
    )
    if (round === undefined) rounds.push([fault])
    else round.push(fault)
  }
  return rounds
}

/** Checks `round`, and then as few parts of it as it takes to say which of its faults makes an error. */
const checkRound = async (
  bench: TypeBench,
  round: ReadonlyArray<Fault>,
  refused: Map<number, string>
): Promise<void> => {
  if (round.length === 0) return
  const errors = await bench.withFaults(round, bench.typeErrors)
  const [first] = errors
  if (first === undefined) return
  if (round.length === 1) {
    refused.set(round[0]!.id, first)
    return
  }
  // An error mostly stands where its fault does.
  const [own, others] = [true, false].map((is) =>
    round.filter((fault) => errors.some((error) => isAt(error, fault)) === is)
  ) as [Array<Fault>, Array<Fault>]
  for (const fault of own) refused.set(fault.id, errors.find((error) => isAt(error, fault))!)
  if (own.length > 0) return checkRound(bench, others, refused)
  // Otherwise mostly in the same file.
  const near = round.filter(({ file }) => errors.some((error) => error.startsWith(`${file}(`)))
  const isNear = near.length > 0 && near.length < round.length
  const part = isNear ? near : round.slice(0, Math.ceil(round.length / 2))
  await checkRound(bench, part, refused)
  await checkRound(bench, round.filter((fault) => !part.includes(fault)), refused)
}

/**
 * Which of `faults` are no programs, with the first error of each. Many are checked at once, since a check takes as long
 * as the tests of several faults.
 */
export const checkTypes = async (
  bench: TypeBench,
  faults: ReadonlyArray<Fault>
): Promise<ReadonlyMap<number, string>> => {
  const refused = new Map<number, string>()
  for (const round of roundsOf(faults)) await checkRound(bench, round, refused)
  return refused
}
