import { METHODS } from "../../src/methods/table.ts"
import { hasVectors, vectorLines } from "../rpc/vectors.ts"

/** A call of the RPC, as it was once recorded. */
export interface RecordedCall {
  readonly method: string
  readonly params: unknown
}

/** Longer parameters would only slow down what short ones show as well. */
const LONGEST_LINE = 100_000

const examples = (): ReadonlyArray<RecordedCall> =>
  [...METHODS.values()].flatMap(({ examples: shown, name }) => shown.map(({ params }) => ({ method: name, params })))

/** The calls that Bitcoin Core once answered, of methods that there are here. */
const recorded = (): ReadonlyArray<RecordedCall> =>
  vectorLines("oracle/rpc/rpc.jsonl.gz").flatMap((line) => {
    const { method, params = [] } = JSON.parse(line) as Partial<RecordedCall>
    return method === undefined || !METHODS.has(method) || line.length > LONGEST_LINE ? [] : [{ method, params }]
  })

let known: ReadonlyArray<RecordedCall> | undefined

/** What calls are made from: those that documents show, and those that were recorded. */
export const knownCalls = (): ReadonlyArray<
  RecordedCall
> => (known ??= [...examples(), ...(hasVectors ? recorded() : [])])
