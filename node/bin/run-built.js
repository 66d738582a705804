// Runs a built program with the code that V8 compiled for an earlier run. Node.js's own cache holds what is compiled when a file is
// loaded; most functions are compiled when they are first called, at every start anew (docs/decisions/0015). Plain JavaScript: it
// runs before anything that is built.
const fs = require("fs")
const Module = require("module")
const { basename, dirname, join } = require("path")
const v8 = require("v8")
const vm = require("vm")
const { crc32 } = require("zlib")

/** A start is over by then, and V8 has not yet dropped the code of what ran once in it. */
const STARTED_MILLISECONDS = 10_000

const CHECKSUM_BYTES = 4

/** Another user's file is not run, nor one that others may write. */
const isOwn = (path) => {
  const { mode, uid } = fs.statSync(path)
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
}

/** Compiled code is of use to the same Node.js under the same flags. */
const placeOf = (file, use) => {
  const tag = v8.cachedDataVersionTag().toString(16)
  return join(dirname(file), "compiled", `${process.version}-${process.arch}-${tag}`, `${use}.code`)
}

/** What was kept; none: nothing that is whole and this user's. */
const kept = (place) => {
  try {
    if (!isOwn(dirname(place)) || !isOwn(place)) return undefined
    const bytes = fs.readFileSync(place)
    const code = bytes.subarray(CHECKSUM_BYTES)
    return crc32(code) === bytes.readUInt32LE(0) ? code : undefined
  } catch {
    return undefined
  }
}

const keep = (place, code) => {
  const checksum = Buffer.alloc(CHECKSUM_BYTES)
  checksum.writeUInt32LE(crc32(code))
  try {
    for (const directory of [dirname(dirname(place)), dirname(place)]) {
      if (!fs.existsSync(directory)) fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
    }
    const draft = `${place}.${process.pid}.${require("worker_threads").threadId}`
    fs.writeFileSync(draft, Buffer.concat([checksum, code]), { mode: 0o600 })
    fs.renameSync(draft, place)
  } catch {
    // The next run compiles what this one has compiled.
  }
}

/** Keeps the code of the functions that ran: once a long run has begun, else when a run ends well. */
const keepLater = (script, place) => {
  const save = () => {
    clearTimeout(timer)
    process.removeListener("exit", atEnd)
    keep(place, script.createCachedData())
  }
  const atEnd = (code) => {
    if (code === 0) save()
  }
  const timer = setTimeout(save, STARTED_MILLISECONDS).unref()
  process.on("exit", atEnd)
}

/** A run for one of these ends before most of the program has run: what it compiled is of no use to others. */
const FOR_A_MOMENT = /^-{1,2}(?:h|help|\?|help-debug|version|completions)(?:=|$)/

const COMMANDS = ["config", "health", "status", "rpc", "sync", "import", "rebuild", "verify", "migrate", "load"]

/** What the command line asks of a program: each use runs other functions. */
const useOf = (name) => {
  const command = name === "main" ? process.argv.slice(2).find((word) => COMMANDS.includes(word)) : undefined
  return command === undefined ? name : `${name}-${command}`
}

/** Runs a program of a build and returns what it exports. */
const runBuilt = (file, use = useOf(basename(file, ".cjs"))) => {
  const place = placeOf(file, use)
  const cachedData = kept(place)
  const script = new vm.Script(Module.wrap(fs.readFileSync(file, "utf8")), { filename: file, cachedData })
  const isOfUse = !process.argv.slice(2).some((word) => FOR_A_MOMENT.test(word))
  if ((cachedData === undefined || script.cachedDataRejected) && isOfUse) keepLater(script, place)
  const module = { exports: {} }
  const run = script.runInThisContext()
  run.call(module.exports, module.exports, Module.createRequire(file), module, file, dirname(file))
  return module.exports
}

module.exports = { isOwn, runBuilt }
