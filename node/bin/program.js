// Which program the launcher runs: the node built into a few files, which Node.js loads much faster than its sources
// (docs/decisions/0015). Plain JavaScript: this runs before anything that is built or stripped of types.
const fs = require("fs")
const { dirname, join } = require("path")
const { isOwn } = require("./run-built.js")

const MANIFEST = "manifest.json"

/** Programs that end in a moment: looking over the inputs of all others would take them longer than their work. */
const SMALL = ["quick.cjs", "bitcoin-cli.cjs"]

const isSmall = (program) => SMALL.includes(program)

/** What lists the inputs of a program: a small one's own, or those of all. */
const manifestName = (program) => isSmall(program) ? `${program}.json` : MANIFEST

/** The programs that are built: their files in a build, and in the sources. */
const PROGRAMS = {
  "main.cjs": "node/src/main.ts",
  "bitcoind.cjs": "node/src/bitcoind/main.ts",
  "bitcoin-cli.cjs": "node/src/bitcoin-cli/main.ts",
  "refused-start.cjs": "node/src/bitcoind/refused-start.ts",
  "quick.cjs": "node/src/cli/quick/main.ts",
  "engine.cjs": "node/src/engine-worker/worker.ts",
  "script-worker.cjs": "node/src/engine/script-pool/script-worker.ts",
  "module-launcher.cjs": "node/src/modules/sandbox/unshare/launcher.ts",
  "store-probe.cjs": "node/src/storage/key-value/opening/probe-child.ts"
}

/** Where builds of this clone are kept. */
const placeOf = (root, cache) => join(cache, "programs", root.replaceAll(/[^\w.-]/g, "_").slice(-200))

/** Changes whenever a file does, and sometimes without. */
const stateOf = (path) => {
  const stat = fs.statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? undefined : [stat.size, stat.mtimeMs, stat.ctimeMs]
}

const contentOf = (path) => require("crypto").createHash("sha256").update(fs.readFileSync(path)).digest("base64url")

/** Where a link leads; for what is none, whether it is there. */
const linkOf = (path) => {
  try {
    return fs.readlinkSync(path)
  } catch (error) {
    return error.code === "ENOENT" ? "" : "no link"
  }
}

/** Where packages are found in a directory for them: another installation leads elsewhere. */
const packagesIn = (directory, names) => {
  let found
  try {
    found = new Set(fs.readdirSync(directory))
  } catch {
    return "absent"
  }
  // A scope is a directory of packages.
  const isThere = (name) => found.has(name.split("/")[0])
  return names.map((name) => isThere(name) ? linkOf(join(directory, name)) : "").join("\n")
}

const isDirectory = (path) => fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/**
 * Makes a directory with those above it. The option `recursive` of Node.js never ends below /proc and mount points of autofs,
 * which answer ENOENT for a new name although what is above it exists.
 */
const makeDirectories = (path) => {
  try {
    fs.mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (error.code === "EEXIST" && isDirectory(path)) return
    const above = dirname(path)
    if (error.code !== "ENOENT" || isDirectory(above)) throw error
    makeDirectories(above)
    makeDirectories(path)
  }
}

const isComplete = (directory, sizes) =>
  isOwn(directory) && Object.keys(sizes).every((name) => stateOf(join(directory, name))?.[0] === sizes[name])

/** Whether an input has the content that was built; one that was only touched gets its new state noted. */
const isSame = (root, input, touched) => {
  const [name, size, modified, changed, content] = input
  const path = join(root, name)
  const state = stateOf(path)
  if (state === undefined || state[0] !== size) return false
  if (state[1] === modified && state[2] === changed) return true
  if (contentOf(path) !== content) return false
  touched.push(() => input.splice(1, 3, ...state))
  return true
}

/** Writes a file that others see whole or not at all. */
const replaceFile = (path, text) => {
  const draft = `${path}.${process.pid}`
  fs.writeFileSync(draft, text, { mode: 0o600 })
  fs.renameSync(draft, path)
}

const keepManifest = (place, name, manifest) => replaceFile(join(place, name), JSON.stringify(manifest))

/** A file that was changed this recently may change again without showing it. */
const SETTLED_MILLISECONDS = 2_000

/** Notes the new states of files that were only touched; without it the next start reads them again. */
const noteTouched = (place, name, manifest, touched, now) => {
  for (const note of touched) note()
  if (manifest.inputs.some(([, , , changed]) => changed > now - SETTLED_MILLISECONDS)) return
  try {
    keepManifest(place, name, manifest)
  } catch {
    // The build is right all the same: the next start compares the contents of these files again.
  }
}

/**
 * The directory of a build whose `program` is made of exactly what stands in the sources; none: there is none, or it is
 * older.
 */
const freshBuild = (root, cache, program, now = Date.now()) => {
  try {
    const place = placeOf(root, cache)
    const manifestFile = manifestName(program)
    const path = join(place, manifestFile)
    if (!isOwn(place) || !isOwn(path)) return undefined
    const manifest = JSON.parse(fs.readFileSync(path, "utf8"))
    const directory = join(place, manifest.build)
    const touched = []
    const isFresh = manifest.root === root && isComplete(directory, manifest.sizes) &&
      manifest.directories.every(([name, found]) => packagesIn(join(root, name), manifest.packages) === found) &&
      manifest.inputs.every((input) => isSame(root, input, touched))
    if (!isFresh) return undefined
    if (touched.length > 0) noteTouched(place, manifestFile, manifest, touched, now)
    return directory
  } catch {
    return undefined
  }
}

module.exports = {
  contentOf,
  freshBuild,
  isSmall,
  keepManifest,
  makeDirectories,
  MANIFEST,
  manifestName,
  packagesIn,
  placeOf,
  PROGRAMS,
  SETTLED_MILLISECONDS,
  stateOf
}
