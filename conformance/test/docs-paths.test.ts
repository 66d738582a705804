import { existsSync, globSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { assert, describe, it } from "vitest"

const ROOT = join(import.meta.dirname, "../..")

/** A path from the root of the repository, as pages name it; one with a placeholder or a pattern is none. */
const PATH =
  /`((?:bench|conformance|crypto|descriptors|docs|kernel|modules|node|property-tests|protocol|runtime|scripts|sdk|spec|txgraph|vectors|zmq)\/[^\s`<>*{}…]+)`/g

/** The target of a link, without its anchor; one that leads elsewhere is none. */
const LINK = /\]\(([^)\s#:]+)(?:#[^)\s]*)?\)/g

/** The name of a source alone, as pages use it beside the path of its folder. */
const NAME = /`(?:[a-z0-9-]+\/)*([a-z0-9-]+\.ts)`/g

const SOURCES = new Set(
  globSync(
    "{bench,conformance,crypto,descriptors,kernel,modules,node,property-tests,protocol,scripts,sdk,txgraph,zmq}/**/*.ts",
    {
      cwd: ROOT,
      exclude: (path) => path.includes("node_modules")
    }
  ).map((path) => basename(path))
)

const places = (page: string, text: string): ReadonlyArray<string> => [
  ...[...text.matchAll(PATH)].map(([, path]) => path!),
  ...[...text.matchAll(LINK)].map(([, target]) => join(dirname(page), target!))
]

describe("pages on contributing, the architecture and modules", () => {
  const pages = ["CONTRIBUTING.md", ...globSync("docs/{contribute,architecture,modules}/*.md", { cwd: ROOT })]

  it.each(pages)("%s names only files that are there", (page) => {
    const found = places(page, readFileSync(join(ROOT, page), "utf8"))
    assert.deepStrictEqual(found.filter((path) => !existsSync(join(ROOT, path))), [])
  })

  it.each(pages.filter((page) => !page.endsWith("first-module.md")))("%s names only sources that are there", (page) => {
    const names = [...readFileSync(join(ROOT, page), "utf8").matchAll(NAME)].map(([, name]) => name!)
    assert.deepStrictEqual(names.filter((name) => !SOURCES.has(name)), [])
  })

  it.each([["node/src", "node.md"], ["node/src/engine", "node.md"], ["node/src/p2p", "p2p.md"]])(
    "the folders of %s stand each in a table of %s",
    (folder, page) => {
      const text = readFileSync(join(ROOT, "docs/architecture", page), "utf8")
      const folders = globSync("*/", { cwd: join(ROOT, folder) }).map((name) => name.replace(/\/$/, ""))
      assert.isAbove(folders.length, 5)
      assert.deepStrictEqual(folders.filter((name) => !new RegExp(`^\\| \`${name}/?\``, "m").test(text)), [])
    }
  )

  it("are read: there are paths and links in them", () => {
    assert.isAbove(pages.length, 20)
    assert.sameMembers([...places("docs/a.md", "`node/src/x.ts` `node/<x>` [y](../z.md#a) [w](https://w)")], [
      "node/src/x.ts",
      "z.md"
    ])
  })
})
