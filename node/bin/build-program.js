// Builds the node's programs into single files each (docs/decisions/0015).
const { createHash } = require("crypto")
const fs = require("fs")
const { dirname, join, relative } = require("path")
const { pathToFileURL } = require("url")
const {
  contentOf,
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
} = require("./program.js")

/** Files that ask where they stand: they are told where their source is. */
const PLACED =
  /[/\\](?:program|version|remembered-target|typed-parameters|native-memory|prebuilt|addon-points|quic-binding|iroh-binding)\.ts$/

/** Packages with native code, which find it by where they stand. */
const NATIVE_PACKAGES = ["lmdb", "classic-level"]
const NATIVE = new RegExp(`^(?:${NATIVE_PACKAGES.join("|")})$`)

const PLACES = {
  name: "places",
  setup: (build) => {
    build.onLoad({ filter: PLACED }, ({ path }) => {
      const place = { "import.meta.url": pathToFileURL(path).href, "import.meta.dirname": dirname(path) }
      const text = fs.readFileSync(path, "utf8")
      const contents = text.replaceAll(/\bimport\.meta\.(?:url|dirname)\b/g, (name) => JSON.stringify(place[name]))
      return { contents, loader: "ts" }
    })
    build.onResolve({ filter: NATIVE }, async ({ path, pluginData, resolveDir }) => {
      if (pluginData === NATIVE) return undefined
      const found = await build.resolve(path, { kind: "require-call", resolveDir, pluginData: NATIVE })
      return found.errors.length > 0 ? found : { path: found.path, external: true }
    })
  }
}

const bundle = async (root, directory) => {
  const esbuild = require(require.resolve("esbuild", { paths: [join(root, "node")] }))
  const entryPoints = Object.entries(PROGRAMS).map(([out, path]) => ({ out: out.slice(0, -4), in: join(root, path) }))
  try {
    const { metafile } = await esbuild.build({
      entryPoints,
      outdir: directory,
      absWorkingDir: root,
      bundle: true,
      platform: "node",
      target: "node22",
      // Node.js loads such a file faster than a module, and makes no copies of its own modules for it.
      format: "cjs",
      // A script that was compiled before can only import with a part of Node.js that warns of itself.
      supported: { "dynamic-import": false },
      outExtension: { ".js": ".cjs" },
      define: { lockstepPrograms: "__dirname" },
      legalComments: "none",
      // What the build depends on stands here and in its inputs alone.
      tsconfigRaw: {},
      metafile: true,
      logLevel: "silent",
      plugins: [PLACES]
    })
    return metafile.inputs
  } finally {
    await esbuild.stop()
  }
}

/** Threads and processes that Node.js itself is given the file of: theirs runs the code with what was compiled before. */
const STARTED_BY_FILE = ["engine", "script-worker", "store-probe"]

/** What runs a build goes with it: nodes that run may start threads after their sources have changed. */
const RUNNER = "run-built.js"

const addRunner = (directory) => {
  fs.copyFileSync(join(__dirname, RUNNER), join(directory, "run-built.cjs"))
  for (const name of STARTED_BY_FILE) {
    const code = `${name}.code.cjs`
    fs.renameSync(join(directory, `${name}.cjs`), join(directory, code))
    fs.writeFileSync(
      join(directory, `${name}.cjs`),
      `require("./run-built.cjs").runBuilt(require("path").join(__dirname, "${code}"), "${name}")\n`
    )
  }
}

/** Directories above a file, up to the root of the file system. */
const above = (path) => {
  const parent = dirname(path)
  return parent === path ? [] : [parent, ...above(parent)]
}

/** Where Node.js looks for the packages that a file imports, and what says how a package is entered. */
const surroundingsOf = (root, files) => {
  const directories = new Set(files.flatMap((file) => above(join(root, file))))
  const lookedIn = [...directories].map((directory) =>
    directory.endsWith("node_modules") ? directory : join(directory, "node_modules")
  )
  return {
    packages: [...new Set(lookedIn)].filter((directory) => fs.existsSync(directory)),
    manifests: [...directories].map((directory) => join(directory, "package.json")).filter((file) =>
      fs.existsSync(file)
    )
  }
}

/** The packages that are imported by name. */
const importedBy = (inputs) => {
  const names = Object.values(inputs).flatMap(({ imports }) => imports.map(({ original }) => original))
    .map((name) => /^((?:@[^/]+\/)?[^/.:][^/:]*)(?:\/|$)/.exec(name ?? "")?.[1]).filter((name) => name !== undefined)
  return [...new Set([...names, ...NATIVE_PACKAGES])].sort()
}

/** The files that a program is made of. */
const reachedBy = (program, inputs) => {
  const reached = new Set()
  const reach = (file) => {
    if (reached.has(file) || inputs[file] === undefined) return
    reached.add(file)
    for (const { path } of inputs[file].imports) reach(path)
  }
  reach(PROGRAMS[program])
  return Object.fromEntries([...reached].map((file) => [file, inputs[file]]))
}

/** What a build was made of, to be compared by the next start. */
const manifestOf = (root, directory, found) => {
  const files = Object.keys(found)
  const { manifests, packages } = surroundingsOf(root, files)
  const own = [__filename, join(__dirname, "program.js"), join(__dirname, RUNNER)]
  const inputs = [...files, ...[...manifests, ...own].map((file) => relative(root, file))]
    .map((file) => [file, ...stateOf(join(root, file)), contentOf(join(root, file))])
  const names = importedBy(found)
  const directories = packages.map((each) => [relative(root, each), packagesIn(each, names)])
  const contents = inputs.map(([name, , , , content]) => [name, content])
  const sizes = Object.fromEntries(
    fs.readdirSync(directory).map((name) => [name, fs.statSync(join(directory, name)).size])
  )
  const build = createHash("sha256").update(JSON.stringify([root, contents, directories])).digest("hex").slice(0, 16)
  return { root, build, inputs, packages: names, directories, sizes }
}

/** What small programs alone are made of, as parts of a build, by the names of their manifests. */
const smallManifests = (root, directory, found, build) =>
  Object.keys(PROGRAMS).filter(isSmall).map((program) => {
    const { sizes, ...manifest } = manifestOf(root, directory, reachedBy(program, found))
    return [manifestName(program), { ...manifest, build, sizes: { [program]: sizes[program] } }]
  })

/** Whether those of these files that are there have been left alone for a while: none changed while it was read. */
const areSettled = (root, files, now) =>
  files.every((file) => (stateOf(join(root, file))?.[2] ?? 0) < now - SETTLED_MILLISECONDS)

/** What is known before a build: the entries, and what the last one was made of. */
const likelyInputs = (place) => {
  const entries = Object.values(PROGRAMS)
  try {
    const { inputs } = JSON.parse(fs.readFileSync(join(place, MANIFEST), "utf8"))
    return [...entries, ...inputs.map(([name]) => name)]
  } catch {
    return entries
  }
}

/** Whether all that is built knows its place: a file that {@link PLACED} leaves out would look for itself in the cache. */
const knowsItsPlace = (directory) =>
  fs.readdirSync(directory).every((name) => !fs.readFileSync(join(directory, name), "utf8").includes("import_meta"))

const onDisk = (path) => {
  const file = fs.openSync(path, "r")
  fs.fsyncSync(file)
  fs.closeSync(file)
}

const OLD_BUILDS = 3

/** Removes builds of clones that are gone, and all but the newest of this one: a running node may still need those. */
const removeOld = (place, build) => {
  const places = dirname(place)
  for (const name of fs.readdirSync(places)) {
    try {
      const { root } = JSON.parse(fs.readFileSync(join(places, name, MANIFEST), "utf8"))
      if (!fs.existsSync(root)) fs.rmSync(join(places, name), { recursive: true, force: true })
    } catch {
      // Another start removes the same one, or is making it: it is left to them.
    }
  }
  const builds = fs.readdirSync(place).filter((name) => /^[0-9a-f]{16}$/.test(name) && name !== build)
    .map((name) => ({ name, time: fs.statSync(join(place, name)).mtimeMs })).sort((a, b) => b.time - a.time)
  for (const { name } of builds.slice(OLD_BUILDS)) fs.rmSync(join(place, name), { recursive: true, force: true })
}

/** Moves a finished build to where the next start finds it; where the same one is already, that one stays. */
const keep = (place, draft, manifest, small) => {
  const directory = join(place, manifest.build)
  for (const name of fs.readdirSync(draft)) onDisk(join(draft, name))
  try {
    fs.renameSync(draft, directory)
  } catch (error) {
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error
  }
  for (const [name, each] of small) keepManifest(place, name, each)
  keepManifest(place, MANIFEST, manifest)
  return directory
}

/**
 * Builds the programs and answers their directory; none: it cannot be done here and at this time. `now` is the time at
 * which the build begins.
 */
const buildProgram = async (root, cache, now = Date.now()) => {
  let draft
  try {
    const place = placeOf(root, cache)
    makeDirectories(place)
    if (!areSettled(root, likelyInputs(place), now)) return undefined
    draft = fs.mkdtempSync(join(place, "draft-"))
    const found = await bundle(root, draft)
    addRunner(draft)
    const manifest = manifestOf(root, draft, found)
    if (!areSettled(root, manifest.inputs.map(([name]) => name), now) || !knowsItsPlace(draft)) return undefined
    const directory = keep(place, draft, manifest, smallManifests(root, draft, found, manifest.build))
    removeOld(place, manifest.build)
    return directory
  } catch {
    return undefined
  } finally {
    if (draft !== undefined) fs.rmSync(draft, { recursive: true, force: true })
  }
}

module.exports = { buildProgram }
