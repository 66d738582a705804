import type { JunkTrial } from "./trial.ts"

/** Far more than the orphans and the mempool of such a flood may take. */
const MOST_GROWTH = 400 * 1024 * 1024

const mebibytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(0)

/** Everything that was seen. */
export const junkReportOf = ({ after, before, figures: { lost, sent }, relayed, seconds }: JunkTrial): string => {
  const times = relayed.toSorted((a, b) => a - b)
  return [
    `${seconds.toFixed(1)} s; ${lost} connections lost; memory ${mebibytes(before.memory)} MiB before, ` +
    `${mebibytes(after.memory)} MiB after, ${mebibytes(after.mostMemory)} MiB at most; processors of the node ` +
    `${(after.processorSeconds - before.processorSeconds).toFixed(1)} s`,
    `${times.length} honest transactions relayed: ${times[times.length >> 1]?.toFixed(0)} ms in the middle, ` +
    `${times.at(-1)?.toFixed(0)} ms at most`,
    ...Object.entries(sent).map(([what, count]) => `  ${String(count).padStart(7)} ${what}`)
  ].join("\n")
}

/** What does not hold of a node under a flood of junk. */
export const junkFaults = (
  { after, areHonestThere, banned, before, log, missing, relayed }: JunkTrial
): ReadonlyArray<string> => {
  const growth = after.mostMemory - before.mostMemory
  const verdicts: ReadonlyArray<readonly [holds: boolean, fault: string]> = [
    [areHonestThere, "an honest peer was disconnected"],
    [relayed.every(Number.isFinite), "an honest transaction was not relayed"],
    [missing.length === 0, `honest transactions are not in the mempool: ${missing.join(", ")}`],
    [banned === 0, `${banned} addresses are banned`],
    [growth < MOST_GROWTH, `memory grew by ${mebibytes(growth)} MiB (below 400)`],
    [!log.includes("a defect in the network layer"), "the log reports a defect"]
  ]
  return verdicts.flatMap(([holds, fault]) => holds ? [] : [fault])
}
