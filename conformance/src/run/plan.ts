import { statSync } from "node:fs"
import { besides } from "../runners/block-file.ts"
import { SUITE_NAMES, type SuiteName, suiteCalled } from "../runners/table.ts"
import { filesOf } from "../sources/files.ts"
import { type Damage, damages } from "../sources/integrity.ts"
import { fateOf } from "../sources/sort-out.ts"
import type { Source, VectorFile } from "../sources/source.ts"
import type { Unit } from "./result.ts"

/** A file and the cases of it that are wanted; all when `only` is left out. */
export interface WantedFile {
  readonly file: VectorFile
  readonly only?: ReadonlyArray<string>
}

/** What a run is to judge. Without any of these it judges everything it finds. */
export interface Selection {
  readonly suites: ReadonlyArray<SuiteName>
  /** Leave out the large suites. */
  readonly small: boolean
  /** Take the slow suites in. */
  readonly slow: boolean
  readonly files?: ReadonlyArray<WantedFile> | undefined
}

/** What a run will do, and what is wrong before it starts. */
export interface Plan {
  readonly sources: ReadonlyArray<Source>
  readonly units: ReadonlyArray<Unit>
  readonly unclaimed: ReadonlyArray<VectorFile>
  readonly damaged: ReadonlyArray<Damage>
  /** Suites that the selection leaves out although there are files for them. */
  readonly leftOut: ReadonlyArray<SuiteName>
}

const GZIP_RATIO = 6
const BYTES_A_SHARE = 4_000_000

/** Bytes a file unpacks to, roughly; none where it is missing. */
const sizeOf = ({ absolute, path }: VectorFile): number =>
  (statSync(absolute, { throwIfNoEntry: false })?.size ?? 0) * (path.endsWith(".gz") ? GZIP_RATIO : 1)

/** How long a file takes, in bytes to read. */
const costOf = (suite: SuiteName, file: VectorFile): number =>
  suite === "block_inputs" ? sizeOf(file) + sizeOf(besides(file, ".blk")) : sizeOf(file)

const unitsOf = (
  suite: SuiteName,
  source: number,
  wanted: WantedFile,
  cost: number,
  jobs: number
): ReadonlyArray<Unit> => {
  const divisible = wanted.only === undefined && suiteCalled(suite).ordered !== true
  const shares = divisible ? Math.min(jobs, Math.ceil(cost / BYTES_A_SHARE) || 1) : 1
  return Array.from({ length: shares }, (_, share) => ({
    suite,
    source,
    path: wanted.file.path,
    share,
    shares,
    ...(wanted.only !== undefined && { only: wanted.only })
  }))
}

const isSelected = (suite: SuiteName, { files, suites, small, slow }: Selection): boolean => {
  if (suites.length > 0) return suites.includes(suite)
  // A named file is read by every suite that can read it.
  if (files !== undefined) return true
  const given = suiteCalled(suite)
  return (slow || given.slow !== true) && (!small || given.large !== true)
}

/** Plans a run over `sources` by `jobs` workers: which files, in which shares, longest first. */
export const planRun = (sources: ReadonlyArray<Source>, selection: Selection, jobs: number): Plan => {
  const costed: Array<{ readonly cost: number; readonly units: ReadonlyArray<Unit> }> = []
  const unclaimed: Array<VectorFile> = []
  const damaged: Array<Damage> = []
  const leftOut = new Set<SuiteName>()
  for (const [s, source] of sources.entries()) {
    const files = filesOf(source)
    const fates = files.map((file) => ({ file, fate: fateOf(file) }))
    const everything = selection.suites.length === 0 && selection.files === undefined
    if (everything) unclaimed.push(...fates.filter(({ fate }) => fate.kind === "unclaimed").map(({ file }) => file))

    const chosen = fates.flatMap(({ file, fate }) => {
      if (fate.kind !== "claimed") return []
      const wanted = selection.files === undefined
        ? { file }
        : selection.files.find((each) => each.file.absolute === file.absolute)
      if (wanted === undefined) return []
      const selected = fate.suites.filter((suite) => isSelected(suite, selection))
      for (const suite of fate.suites) if (!selected.includes(suite)) leftOut.add(suite)
      return selected.map((suite) => ({ suite, wanted }))
    })
    const read = chosen.map(({ wanted }) => wanted.file)
    const others = fates.filter(({ file, fate }) =>
      fate.kind !== "unclaimed" && fate.kind !== "excluded" && !read.includes(file)
    )
    const checked = everything && !selection.small && source.kind === "root"
      ? [...read, ...others.map(({ file }) => file)]
      : read
    const companions = others.filter(({ fate }) => fate.kind === "companion").map(({ file }) => file)
    const broken = damages(source, files, [...new Set([...checked, ...companions])])
    damaged.push(...broken)
    for (const { suite, wanted } of chosen) {
      if (broken.some(({ file }) => file === wanted.file)) continue
      const cost = costOf(suite, wanted.file)
      costed.push({ cost, units: unitsOf(suite, s, wanted, cost, jobs) })
    }
  }
  const units = costed.sort((a, b) => b.cost - a.cost).flatMap((each) => each.units)
  return { sources, units, unclaimed, damaged, leftOut: SUITE_NAMES.filter((name) => leftOut.has(name)) }
}
