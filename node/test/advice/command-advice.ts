import { assert } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { freePort } from "../process/node-process.ts"
import { type Advice, helpsOnRunning, printsWell, refusedCall, said, starts } from "./following-advice.ts"

/** Messages of commands, of their help and of files that they write. */
export const COMMAND_ADVICE: ReadonlyArray<Advice> = [
  {
    source: "cli/commands/node-client.ts: start",
    name: "no node that answers",
    produce: (place) => said(place, "status", "--rpc-addr", "127.0.0.1:1"),
    command: /`lockstep (start)`/,
    helps: starts
  },
  {
    source: "cli/commands/node-client.ts: config explain",
    name: "another program on the port",
    produce: async (place) => {
      const port = await freePort()
      const server = (await import("node:http")).createServer((_, response) => response.writeHead(501).end())
      await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
      const text = await said(place, "status", "--rpc-addr", `127.0.0.1:${port}`)
      server.close()
      return text
    },
    command: /`lockstep (config explain)`/,
    helps: printsWell
  },
  {
    source: "cli/commands/call-faults.ts: rpc help ${name}",
    name: "a parameter of another kind",
    produce: (place) => refusedCall(place, "getblockhash", "high"),
    command: /`lockstep (rpc help getblockhash)`/,
    helps: helpsOnRunning
  },
  {
    source: "cli/commands/call-faults.ts: rpc help",
    name: "a method that is not there",
    produce: (place) => refusedCall(place, "getblockhsh"),
    command: /`lockstep (rpc help)`/,
    helps: helpsOnRunning
  },
  {
    source: "cli/command-failure.ts: command",
    name: "a command that this build does not have, which is named as it can be typed",
    produce: (place) => said(place, "migrate", "core"),
    command: /`lockstep (migrate core)`: migrating a data directory of Bitcoin Core is not in this build yet/,
    helps: async (place, command) => {
      const { exitCode, stderr } = await place.run(command, "--help")
      assert.deepStrictEqual([exitCode, stderr], [0, ""])
    }
  },
  {
    source: "cli/option-advice.ts: --help",
    name: "an option of Bitcoin Core",
    produce: async (place) => (await place.run("-regtest")).stderr,
    command: /`lockstep (--help)`/,
    helps: printsWell
  },
  {
    source: "cli/presenter.ts: [...path, \"--help\"].join(\" \"",
    name: "a command that is not there",
    produce: async (place) => (await place.run("verify", "--levle", "3")).stderr,
    command: /`lockstep (verify --help)`/,
    helps: printsWell
  },
  {
    source: "cli/global-options.ts: config explain",
    name: "the help of all options",
    produce: async (place) => (await place.run("--help")).stdout,
    command: /`lockstep (config explain)`/,
    helps: printsWell
  },
  {
    source: "config/show/example.ts: config explain",
    name: "the annotated file: what holds",
    produce: async (place) => (await place.run("config", "example")).stdout,
    command: /`pnpm lockstep (config explain)`/,
    helps: printsWell
  },
  {
    source: "config/show/example.ts: config validate <path>",
    name: "the annotated file: whether it is right",
    produce: async (place) => {
      const { stdout } = await place.run("config", "example")
      writeFileSync(join(place.root, "example.toml"), stdout, { mode: 0o600 })
      return stdout
    },
    command: /`pnpm lockstep (config validate <path>)`/,
    helps: (place, command) => printsWell(place, command.replace("<path>", join(place.root, "example.toml")))
  },
  {
    source: "config/convert-core/convert-core-config.ts: config validate <path>",
    name: "a draft from a bitcoin.conf",
    produce: async (place) => {
      writeFileSync(join(place.root, "bitcoin.conf"), "regtest=1\nrpcuser=u\nrpcpassword=p\n")
      const { stdout } = await place.run("config", "convert-core", join(place.root, "bitcoin.conf"))
      writeFileSync(join(place.root, "draft.toml"), stdout, { mode: 0o600 })
      return stdout
    },
    command: /`pnpm lockstep (config validate <path>)`/,
    helps: (place, command) => printsWell(place, command.replace("<path>", join(place.root, "draft.toml")))
  }
]
