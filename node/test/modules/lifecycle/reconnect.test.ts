import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { EventBus } from "../../../src/events/event-bus.ts"
import { patience } from "../../process/patience.ts"
import { testModule } from "../test-module.ts"
import { modulesInDirectory } from "./modules-in-directory.ts"

/**
 * A module without any package, which is led by files of its data directory: "cut" has it destroy its connection in the
 * middle of a call, and "again" has it connect again. It notes what becomes of it in "seen".
 */
const PROGRAM = `#!/usr/bin/env node
"use strict"
const fs = require("node:fs")
const net = require("node:net")
const { MODULE_ID, MODULE_NAME, SOCKET_PATH } = process.env
const u32 = (n) => { const b = Buffer.alloc(4); b.writeUInt32LE(n); return b }
const u64 = (n) => { const b = Buffer.alloc(8); b.writeBigUInt64LE(BigInt(n)); return b }
const text = (t) => { const b = Buffer.from(t); return Buffer.concat([u64(b.length), b]) }
const note = (line) => fs.appendFileSync("seen", line + "\\n")
let isCut = false
const life = () => {
  let id = 0
  const socket = net.connect(SOCKET_PATH)
  const send = (...parts) => { const body = Buffer.concat(parts); socket.write(Buffer.concat([u32(body.length), body])) }
  const request = (tag, ...fields) => send(u32(0), u64(++id), u32(tag), u32(tag), ...fields)
  request(0, text(MODULE_ID), text(MODULE_NAME), text("0.1.0"))
  request(27, text("watched"), text("Answers a height."))
  request(8, u64(1), u32(0))
  socket.on("connect", () => note("connected"))
  socket.on("error", (error) => note("error " + error.code))
  socket.on("data", () => undefined)
  socket.on("close", () => {
    if (isCut) return
    note("closed")
    // What the node has asked to end does not come back.
    net.connect(SOCKET_PATH).on("error", (error) => { note("refused " + error.code); process.exit(0) })
      .on("connect", () => { note("accepted"); process.exit(1) })
  })
  const timer = setInterval(() => {
    if (!isCut && fs.existsSync("cut")) {
      isCut = true
      for (let i = 0; i < 100; i++) request(33, u64(0))
      socket.destroy()
    }
    if (isCut && fs.existsSync("again")) {
      isCut = false
      fs.rmSync("cut")
      fs.rmSync("again")
      clearInterval(timer)
      life()
    }
    if (fs.existsSync("exit")) process.exit(7)
  }, 10)
}
life()
`

const CAPABILITIES = ["subscribe_events", "register_rpc_endpoint", "manage_timers"]

const until = async (what: string, holds: () => boolean): Promise<void> => {
  const deadline = Date.now() + patience(30_000)
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`in vain: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const opened = Effect.fnUntraced(function*(reconnectMs: number) {
  const bus = yield* EventBus
  const states: Array<string> = []
  yield* bus.observe({
    isListening: (type) => type === "ModuleStateChanged" || type === "ModuleLoaded",
    run: ({ payload, type }) =>
      Effect.sync(() => void states.push("new_state" in payload ? `to ${payload.new_state}` : type))
  })
  const { modules, places } = yield* modulesInDirectory({
    program: PROGRAM,
    capabilities: CAPABILITIES,
    times: { reconnectMs }
  })
  const file = (name: string): string => join(places.data, "a", name)
  return {
    modules,
    states,
    socket: () => join(places.sockets, readdirSync(places.sockets)[0]!),
    put: (name: string) => writeFileSync(file(name), ""),
    seen: () => existsSync(file("seen")) ? readFileSync(file("seen"), "utf8").trim().split("\n") : [],
    until: (what: string, holds: () => boolean) => Effect.promise(() => until(what, holds)),
    status: () => modules.list().find(({ name }) => name === "a")
  }
})

const alone = Effect.provide([EventBus.layer, Logger.layer([])])

describe.runIf(process.platform === "linux")("a module whose connection is lost in the middle of its calls", () => {
  it.live("connects again from the same process, with a fresh API, and no other process can; an end that the node wants is one", () =>
    Effect.scoped(Effect.gen(function*() {
      const { modules, put, seen, socket, states, status, until: wait } = yield* opened(60_000)
      yield* modules.load("a")
      yield* wait("the method is there", () => modules.methods.all().length === 1)
      const pid = status()!.pid
      put("cut")
      yield* wait("the loss is seen", () => status()?.status === "reconnecting")
      assert.deepStrictEqual(modules.methods.all(), [])
      assert.deepInclude(status(), { pid: undefined, figures: undefined, errors: [] })
      const intruder = testModule(connect(socket()))
      yield* intruder.closed
      assert.strictEqual(status()!.status, "reconnecting")
      put("again")
      // The requests of the earlier connection were another session's: these are those of the method and the events.
      yield* wait("it is back", () => status()?.figures?.requests.answered === 2)
      assert.strictEqual(status()!.status, "loaded")
      assert.lengthOf(modules.methods.all(), 1)
      assert.strictEqual(status()!.pid, pid)
      assert.strictEqual(status()!.restarts, 0)
      assert.deepStrictEqual(states, ["to connected", "to loaded", "ModuleLoaded", "to reconnecting", "to loaded"])
      yield* modules.unload("a")
      assert.match(seen().join(), /^connected,connected,closed,refused (?:ENOENT|ECONNREFUSED)$/)
      assert.strictEqual(status()!.status, "unloaded")
    })).pipe(alone))

  it.live("is over where it does not come back in time, where its process ends, and where it is unloaded meanwhile", () =>
    Effect.scoped(Effect.gen(function*() {
      const late = yield* opened(300)
      yield* late.modules.load("a")
      late.put("cut")
      yield* late.until("it is given up", () => late.status()?.status === "crashed")
      assert.match(late.status()!.errors.join(), /, and did not connect again within 300 ms$/)

      const gone = yield* opened(60_000)
      yield* gone.modules.load("a")
      gone.put("cut")
      yield* gone.until("the loss is seen", () => gone.status()?.status === "reconnecting")
      gone.put("exit")
      yield* gone.until("its end is seen", () => gone.status()?.status === "crashed")
      assert.deepStrictEqual(gone.status()!.errors, ["exited with code 7"])

      const left = yield* opened(60_000)
      yield* left.modules.load("a")
      left.put("cut")
      yield* left.until("the loss is seen", () => left.status()?.status === "reconnecting")
      yield* left.modules.unload("a")
      assert.deepInclude(left.status(), { status: "unloaded", errors: [] })
    })).pipe(alone))
})
