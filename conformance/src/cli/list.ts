import { CLAIMS, COMPANIONS, EXCLUSIONS, STILL_TO_COME, type Unread } from "../sources/claims.ts"
import { SUITE_NAMES, type SuiteName, suiteCalled } from "../runners/table.ts"
import { filesOf } from "../sources/files.ts"
import { fateOf } from "../sources/sort-out.ts"
import type { Source } from "../sources/source.ts"
import { print } from "./print.ts"

const counted = (sources: ReadonlyArray<Source>): ReadonlyMap<SuiteName, number> => {
  const counts = new Map<SuiteName, number>()
  for (const file of sources.flatMap(filesOf)) {
    const fate = fateOf(file)
    if (fate.kind !== "claimed") continue
    for (const suite of fate.suites) counts.set(suite, (counts.get(suite) ?? 0) + 1)
  }
  return counts
}

const printUnread = (title: string, list: ReadonlyArray<Unread>): void => {
  print(`\n${title}`)
  for (const { source, files, why } of list) print(`  ${source.padEnd(5)} ${files.padEnd(42)} ${why}`)
}

/**
 * Prints every suite with what it reads and how many files of it `sources` have, then every file that none reads, and
 * why.
 */
export const printList = (sources: ReadonlyArray<Source>): void => {
  const counts = counted(sources)
  print(`Sources: ${sources.map(({ kind, label }) => `${kind} (${label})`).join(", ")}\n\nSuites`)
  for (const name of SUITE_NAMES) {
    const { what, large, slow } = suiteCalled(name)
    const size = slow === true ? " (slow)" : large === true ? " (large)" : ""
    const files = counts.get(name) ?? 0
    print(`  ${name}${size}: ${what}; ${files} file${files === 1 ? "" : "s"} here`)
    for (const claim of CLAIMS.filter(({ suite }) => suite === name)) {
      print(`      ${claim.source.padEnd(5)} ${claim.files}`)
    }
  }
  printUnread("Read along with others", COMPANIONS)
  printUnread("Never read", EXCLUSIONS)
  printUnread("Still to come", STILL_TO_COME)
}
