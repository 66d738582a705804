// A program for tests: replaces small files again and again with each of the ways the node has, and after each appends
// the number of the version to a file of its own.
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { cookieFile } from "../../src/http/auth/cookie-file.ts"
import { replaceSmallFile } from "../../src/p2p/saved/small-file.ts"
import { nodeDisk } from "../../src/storage/disk/node-disk.ts"
import { replacedBytes } from "./replaced-bytes.ts"

const [root = "", count = ""] = process.argv.slice(2)
const disk = nodeDisk("data-directory")
const directory = join(root, "made", "for it")
const answered = (name: string, version: number): void =>
  fs.appendFileSync(join(root, `${name}.answered`), `${version}\n`)

await Effect.runPromise(Effect.gen(function*() {
  yield* disk.makeDirectory(directory)
  for (let version = 0; version < Number(count); version++) {
    yield* disk.replaceFile(join(directory, "xor.dat"), replacedBytes(version))
    answered("xor.dat", version)
    const fault = yield* replaceSmallFile(join(directory, "peers.json"), replacedBytes(version))
    if (fault !== undefined) throw new Error(fault)
    answered("peers.json", version)
    yield* Effect.scoped(cookieFile(directory))
  }
}))
