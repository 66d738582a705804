import { globSync } from "node:fs"

/** A part of the tree outside the kernel whose tests are judged by planted faults. */
export interface Area {
  readonly name: string
  /** Folders of sources, and single files that stand in none of their own. */
  readonly sources: ReadonlyArray<string>
  /** Files no fault is planted in: tables of data, what only passes on, and what another area has. */
  readonly leftOut: ReadonlyArray<RegExp>
  /** Folders whose tests a fault is tried on. */
  readonly tests: ReadonlyArray<string>
}

/** Whether faults are planted in a file for this area. */
export const isOfArea = ({ sources, leftOut }: Area, file: string): boolean =>
  sources.some((source) => file === source || file.startsWith(`${source}/`)) &&
  !leftOut.some((pattern) => pattern.test(file))

const isNoPackage = (path: string): boolean => !path.includes("node_modules")

const filesBelow = (root: string, pattern: string): ReadonlyArray<string> =>
  globSync(pattern, { cwd: root, exclude: (path) => !isNoPackage(path) })

/** The source files of an area, in order of their paths. */
export const filesOfArea = (root: string, area: Area): ReadonlyArray<string> =>
  area.sources
    .flatMap((source) => source.endsWith(".ts") ? [source] : filesBelow(root, `${source}/**/*.ts`))
    .filter((file) => isOfArea(area, file))
    .sort()

/** The test files of an area's folders. */
export const testsOfArea = (root: string, { tests }: Area): ReadonlyArray<string> =>
  [...new Set(tests.flatMap((folder) => filesBelow(root, `${folder}/**/*.test.ts`)))].sort()

/** Packages with sources or tests, in whose files imports are followed. */
const PACKAGES = "{kernel,crypto,protocol,descriptors,txgraph,conformance,node,property-tests,sdk,zmq}"

/** Every file of the workspace that a test of an area may run, tests included. */
export const workspaceFiles = (root: string): ReadonlyArray<string> => [
  ...filesBelow(root, `${PACKAGES}/{src,test,fuzz}/**/*.ts`),
  ...filesBelow(root, "{modules,sdk/examples}/**/*.ts")
]

/** Every other file a test of an area may run: sources, and what stands beside the tests. */
export const otherFiles = (root: string): ReadonlyArray<string> =>
  workspaceFiles(root)
    .filter((file) => !file.endsWith(".test.ts") && !file.startsWith("conformance/src/mutation/"))
    .sort()
