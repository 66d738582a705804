import { basename, dirname } from "node:path"
import { distancesTo, type Importers } from "./import-graph.ts"

/** Folders without `src` and `test`, below which they mirror each other. */
const foldersOf = (file: string): ReadonlyArray<string> =>
  dirname(file).split("/").filter((name) => name !== "src" && name !== "test")

const sharedFolders = (a: string, b: string): number => {
  const [first, second] = [foldersOf(a), foldersOf(b)]
  const differs = first.findIndex((folder, i) => folder !== second[i])
  return differs < 0 ? first.length : differs
}

const SAME_NAME = 4
const MENTIONED = 3
const NAMED_FOLDER = 3
const SHARED_FOLDER = 2

/** Less for a test with the name of the source, or of a folder it is in. */
const nameBonus = (source: string, test: string): number => {
  const name = basename(test, ".test.ts")
  if (name === basename(source, ".ts")) return SAME_NAME
  return foldersOf(source).some((folder) => name === folder || name.startsWith(`${folder}-`)) ? NAMED_FOLDER : 0
}

/** How far a test file stands from a source: imports between them, less for the same folders and for names. */
const rankOf = (source: string, test: string, distance: number): number =>
  distance - SHARED_FOLDER * sharedFolders(source, test) - nameBonus(source, test)

/** A shorter name, such as `index`, stands in many texts for something else. */
const TELLING = 6

/** Less for a test whose text has the name of the source, such as that of a method, which all tests reach by one table. */
const mentionBonus = (source: string, text: string): number => {
  const name = basename(source, ".ts")
  return name.length >= TELLING && text.split(/[^\w-]+/).includes(name) ? MENTIONED : 0
}

/** Milliseconds that a test file takes without being put behind others for it. */
const QUICK = 500

/** The test files that reach `source`, nearest first; twice the time counts as one import more. */
export const nearestTests = (
  importers: Importers,
  source: string,
  tests: ReadonlyArray<string>,
  estimate: (test: string) => number,
  textOf: (test: string) => string = () => ""
): ReadonlyArray<string> => {
  const distances = distancesTo(importers, source)
  return tests
    .flatMap((test) => {
      const distance = distances.get(test)
      return distance === undefined
        ? []
        : [{
          test,
          rank: rankOf(source, test, distance) - mentionBonus(source, textOf(test)) +
            Math.log2(Math.max(1, estimate(test) / QUICK))
        }]
    })
    .toSorted((a, b) => a.rank - b.rank || (a.test < b.test ? -1 : 1))
    .map(({ test }) => test)
}
