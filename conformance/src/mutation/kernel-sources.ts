import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseSource, type Source } from "../trace/syntax.ts"
import { folderOf, type Mutant, type Site } from "./mutant.ts"
import { sitesOf } from "./sites.ts"

/** A file of the kernel with all its sites. */
export interface MutatedFile {
  readonly source: Source
  readonly sites: ReadonlyArray<Site>
}

/**
 * Files no mutant is made of: what is generated, what only passes on, and the reference provider, which is not what
 * runs.
 */
const LEFT_OUT = [/^kernel\/src\/generated\//, /^kernel\/src\/index\.ts$/, /^kernel\/src\/crypto\/noble\.ts$/]

/** Which mutants to make; nothing given means all. */
export interface Choice {
  readonly folder?: string | undefined
  readonly file?: string | undefined
}

/** Reads the kernel below `root`. Numbers of mutants depend on nothing but the sources and the choice. */
export const readKernel = (root: string, { folder, file }: Choice): ReadonlyArray<MutatedFile> => {
  const files: Array<MutatedFile> = []
  let nextId = 1
  for (const path of globSync("kernel/src/**/*.ts", { cwd: root }).sort()) {
    if (LEFT_OUT.some((pattern) => pattern.test(path))) continue
    const source = parseSource(path, readFileSync(join(root, path), "utf8"))
    const isChosen = (file === undefined || path === file || path.endsWith(`/${file}`)) &&
      (folder === undefined || folderOf({ file: path }) === folder)
    const sites = isChosen ? sitesOf(source, nextId) : []
    for (const { mutants } of sites) nextId += mutants.length
    files.push({ source, sites })
  }
  return files
}

/** All mutants of `files`, in order of their numbers. */
export const mutantsOf = (files: ReadonlyArray<MutatedFile>): ReadonlyArray<Mutant> =>
  files.flatMap(({ sites }) => sites.flatMap(({ mutants }) => mutants))
