import { globSync } from "node:fs"

/** A part of the tree outside the kernel whose tests are judged by planted faults. */
export interface Area {
  readonly name: string
  readonly folder: string
  /** Files no fault is planted in: tables of data, what only passes on, and what only tests run on. */
  readonly leftOut: ReadonlyArray<RegExp>
  /** Folders whose tests a fault is tried on. */
  readonly tests: ReadonlyArray<string>
}

const makeArea = (
  name: string,
  folder: string,
  tests: ReadonlyArray<string>,
  leftOut: ReadonlyArray<RegExp> = []
): Area => ({ name, folder, leftOut, tests })

/** What of the engine is about transactions that no block has yet, and the rest of it. */
const POOL = /\/engine\/(?:txmempool|mempool|fee-estimator|mining)\//
const NOT_POOL = /\/engine\/(?!(?:txmempool|mempool|fee-estimator|mining)\/)/

/** Every area `--area` may name. */
export const AREAS: ReadonlyArray<Area> = [
  makeArea("p2p", "node/src/p2p", ["node/test/p2p"], [
    /\/fixed-seeds\.ts$/,
    /\/transport\/virtual\//,
    /\/p2p\/relay\//
  ]),
  makeArea("relay", "node/src/p2p/relay", ["node/test/p2p"]),
  makeArea("engine", "node/src/engine", ["node/test/engine", "node/test/p2p/chain", "node/test/p2p/sync"], [POOL]),
  makeArea("mempool", "node/src/engine", ["node/test/engine"], [NOT_POOL]),
  makeArea("storage", "node/src/storage", ["node/test/storage"]),
  makeArea("coins", "node/src/coins", ["node/test/coins", "node/test/engine"]),
  makeArea("indexes", "node/src/indexes", ["node/test/indexes"]),
  makeArea("protocol", "protocol/src", ["protocol/test", "node/test/p2p"], [/^protocol\/src\/index\.ts$/]),
  makeArea("descriptors", "descriptors/src", ["descriptors/test", "node/test/rpc/psbt"]),
  makeArea("txgraph", "txgraph/src", ["txgraph/test", "property-tests/src/graph"], [/^txgraph\/src\/index\.ts$/])
]

export const areaCalled = (name: string): Area | undefined => AREAS.find((each) => each.name === name)

/** Whether faults are planted in a file for this area. */
export const isOfArea = ({ folder, leftOut }: Area, file: string): boolean =>
  file.startsWith(`${folder}/`) && !leftOut.some((pattern) => pattern.test(file))

/** The source files of an area, in order of their paths. */
export const filesOfArea = (root: string, area: Area): ReadonlyArray<string> =>
  globSync(`${area.folder}/**/*.ts`, { cwd: root }).filter((file) => isOfArea(area, file)).sort()

/** The test files of an area's folders. */
export const testsOfArea = (root: string, { tests }: Area): ReadonlyArray<string> =>
  tests.flatMap((folder) => globSync(`${folder}/**/*.test.ts`, { cwd: root })).sort()

/** Every other file a test of an area may run: sources, and what stands beside the tests. */
export const otherFiles = (root: string): ReadonlyArray<string> =>
  globSync("{kernel,crypto,protocol,descriptors,txgraph,conformance,node,property-tests}/{src,test,fuzz}/**/*.ts", {
    cwd: root,
    exclude: (path) => path.includes("node_modules")
  }).filter((file) => !file.endsWith(".test.ts") && !file.startsWith("conformance/src/mutation/")).sort()
