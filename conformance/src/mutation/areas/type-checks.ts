import type { Fault } from "./fault.ts"

/** Where the types of faults are checked: in the copy, with as many of them planted as are given. */
export interface TypeBench {
  /** Runs `trial` while the faults, all of different files, stand in the copy. */
  readonly withFaults: <A>(faults: ReadonlyArray<Fault>, trial: () => Promise<A>) => Promise<A>
  /** The errors of the type check, as it writes them: each begins with the path of its file. */
  readonly typeErrors: () => Promise<ReadonlyArray<string>>
}

/** Faults in rounds, of each file one in a round. */
const roundsOf = (faults: ReadonlyArray<Fault>): ReadonlyArray<ReadonlyArray<Fault>> => {
  const rounds: Array<Array<Fault>> = []
  for (const fault of faults) {
    const round = rounds.find((each) => each.every(({ file }) => file !== fault.file))
    if (round === undefined) rounds.push([fault])
    else round.push(fault)
  }
  return rounds
}

const PLACE = /^(.+)\((\d+),\d+\): /

/** Whether an error stands in the lines of a fault. */
const isAt = (error: string, { file, line, original }: Fault): boolean => {
  const [, where, at] = PLACE.exec(error) ?? []
  return where === file && Number(at) >= line && Number(at) < line + original.split("\n").length
}

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
  // An error mostly stands where its fault does. Where it stands elsewhere in the file it may be another's.
  const others = round.filter((fault) => {
    const own = errors.find((error) => isAt(error, fault))
    if (own !== undefined) refused.set(fault.id, own)
    return own === undefined
  })
  const near = others.filter(({ file }) => errors.some((error) => error.startsWith(`${file}(`)))
  const suspects = others.length === round.length && near.length === 0 ? round : near
  for (const suspect of suspects) await checkRound(bench, [suspect], refused)
  await checkRound(bench, others.filter((fault) => !suspects.includes(fault)), refused)
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
