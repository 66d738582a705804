import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { vi } from "vitest"
import { listenForModule } from "../../src/modules/ipc/module-socket.ts"
import { peerCredentialsReader } from "../../src/modules/ipc/peer-credentials.ts"
import { isNamedPipe, socketPlace } from "../../src/modules/ipc/socket-place.ts"
import { root, socketPath, testModule, useSockets } from "./test-module.ts"
import { endsWithTests } from "../process/ends-with-tests.ts"

useSockets()

/** A process that connects to a socket and stays until it is closed. */
const PROGRAM = "require('node:net').connect(process.argv[1]).on('close', () => process.exit(0)).on('error', () => {})"

const connecting = (path: string, shell: boolean) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      shell
        ? endsWithTests(
          spawn("sh", ["-c", `"$0" -e "$1" "$2" & wait`, process.execPath, PROGRAM, path], { stdio: "ignore" })
        )
        : endsWithTests(spawn(process.execPath, ["-e", PROGRAM, path], { stdio: "ignore" }))
    ),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  )

describe("the place of a module's socket", () => {
  it("is a file in the operator's directory, and on Windows a named pipe", () => {
    const file = socketPlace("linux", "/run/lockstep", "watcher", 7)
    assert.deepStrictEqual([file, isNamedPipe(file)], [join("/run/lockstep", "watcher-7.sock"), false])
    const pipe = socketPlace("win32", "C:\\lockstep", "watcher", 7)
    assert.deepStrictEqual([pipe, isNamedPipe(pipe)], ["\\\\.\\pipe\\lockstep-watcher-7", true])
  })
})

describe.runIf(process.platform === "linux")("the socket of a module", () => {
  it.live.each([["itself", false], ["a child of it", true]] as const)(
    "accepts the process that the node started, %s, and no other one",
    ([, shell]) =>
      Effect.scoped(Effect.gen(function*() {
        const path = socketPath()
        const { accept } = yield* listenForModule(path)
        assert.strictEqual(statSync(path).mode & 0o777, 0o600)
        assert.strictEqual(statSync(join(path, "..")).mode & 0o777, 0o700)
        // This process connects first, and is not what was started.
        const intruder = testModule(connect(path))
        const child = yield* connecting(path, shell)
        const socket = yield* accept(child.pid!)
        yield* intruder.closed
        const { pid, uid } = peerCredentialsReader()!(socket)!
        assert.strictEqual(uid, process.getuid!())
        assert.notStrictEqual(pid, process.pid)
        if (!shell) assert.strictEqual(pid, child.pid)
        const second = testModule(connect(path))
        yield* second.closed
        socket.destroy()
      }))
  )

  it.live("refuses the process that the node started where it runs as another user", () =>
    Effect.scoped(Effect.gen(function*() {
      const path = socketPath()
      const { accept } = yield* listenForModule(path)
      // Seen from another user, this user's processes are another user's.
      const own = process.getuid!()
      const user = vi.spyOn(process, "getuid").mockReturnValue(own + 1)
      yield* Effect.addFinalizer(() => Effect.sync(() => user.mockRestore()))
      const accepted = yield* Effect.forkScoped(accept(process.pid))
      const intruder = testModule(connect(path))
      yield* intruder.closed
      assert.isUndefined(accepted.pollUnsafe())
      user.mockReturnValue(own)
      connect(path).on("error", () => undefined)
      const socket = yield* Fiber.join(accepted)
      assert.strictEqual(peerCredentialsReader()!(socket)!.uid, own)
      socket.destroy()
    })))

  it.live("keeps four connections that come before the process is known, and closes what waits with its scope", () =>
    Effect.gen(function*() {
      const path = socketPath()
      const early = yield* Effect.scoped(Effect.gen(function*() {
        yield* listenForModule(path)
        const sockets = Array.from({ length: 5 }, () => testModule(connect(path)))
        yield* Effect.raceAll(sockets.map(({ closed }) => closed))
        yield* Effect.sleep(50)
        assert.lengthOf(sockets.filter(({ socket }) => socket.closed), 1)
        return sockets
      }))
      for (const { closed } of early) yield* closed
    }))

  it.live("keeps one connection of the process for the next time, and closes a further one at once", () =>
    Effect.scoped(Effect.gen(function*() {
      const path = socketPath()
      const { accept, close } = yield* listenForModule(path)
      const first = testModule(connect(path))
      const socket = yield* accept(process.pid)
      const kept = testModule(connect(path))
      yield* Effect.promise(() => once(kept.socket, "connect"))
      const further = testModule(connect(path))
      yield* further.closed
      assert.isFalse(kept.socket.closed)
      yield* close
      yield* kept.closed
      assert.isFalse(first.socket.closed)
      socket.destroy()
    })))

  it.live("is gone with its scope", () =>
    Effect.gen(function*() {
      const path = socketPath()
      yield* Effect.scoped(listenForModule(path))
      assert.throws(() => statSync(path), /ENOENT/)
    }))

  it.live("has a path of 103 bytes at most, and a named pipe a name of any length", () =>
    Effect.gen(function*() {
      const ofLength = (length: number): string => join(root, "a".repeat(length - root.length - 1))
      yield* Effect.scoped(listenForModule(ofLength(103)))
      const refused = (path: string) =>
        Effect.map(Effect.scoped(Effect.flip(listenForModule(path))), ({ message }) => message)
      assert.include(yield* refused(ofLength(104)), "the path is longer than 103 bytes")
      // Outside of Windows the system refuses it for a reason of its own.
      assert.notInclude(yield* refused(`\\\\.\\pipe\\${"a".repeat(200)}`), "the path is longer")
    }))

  it.live("is refused in words where its directory cannot be made or holds something else", () =>
    Effect.gen(function*() {
      const path = socketPath()
      writeFileSync(join(path, "..", "..", "file"), "")
      const { message } = yield* Effect.scoped(Effect.flip(listenForModule(join(root, "file", "module.sock"))))
      assert.match(message, /^no socket for a module at .*file.*: E/)
    }))

  it.live("takes the place of a file that an earlier node left, in a directory that others no longer enter", () =>
    Effect.gen(function*() {
      const path = socketPath()
      mkdirSync(join(path, ".."), { recursive: true, mode: 0o777 })
      chmodSync(join(path, ".."), 0o777)
      writeFileSync(path, "")
      yield* Effect.scoped(Effect.gen(function*() {
        yield* listenForModule(path)
        assert.isTrue(statSync(path).isSocket())
        assert.strictEqual(statSync(join(path, "..")).mode & 0o777, 0o700)
      }))
    }))

  it.live("is refused in words where its path is too long", () =>
    Effect.scoped(Effect.gen(function*() {
      const { message } = yield* Effect.flip(listenForModule(join(root, "a".repeat(120))))
      assert.include(message, "the path is longer than 103 bytes; set [modules].socket_dir")
    })))
})
