import { FOLDERS, PACKAGES, POLICY_APART } from "./folders.js"
import { injectedClock, injectedEnvironment } from "./injected.js"

// What makes kernel/ auditable, as lint: verdicts instead of exceptions, no state that outlives a call, nothing from
// outside.
const onlyReporting = (visitor) => ({
  create: (context) => visitor((node, message) => context.report({ node, message }), context)
})

const STATEFUL = new Set(["Map", "Set", "WeakMap", "WeakSet", "WeakRef"])
const READ_ONLY = new Set(["ReadonlyMap", "ReadonlySet"])
const FUNCTIONS = new Set(["ArrowFunctionExpression", "FunctionExpression", "FunctionDeclaration"])

const isInsideFunction = (node) => {
  for (let at = node.parent; at !== null && at !== undefined; at = at.parent) if (FUNCTIONS.has(at.type)) return true
  return false
}

const rootOf = (node) => {
  let at = node
  while (at.type === "MemberExpression" || at.type === "TSNonNullExpression") {
    at = at.type === "MemberExpression" ? at.object : at.expression
  }
  return at
}

const namesBoundBy = (statement) => {
  if (statement.type === "ImportDeclaration") return statement.specifiers.map((specifier) => specifier.local.name)
  const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement
  if (declaration?.type !== "VariableDeclaration") return []
  return declaration.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []))
}

const noThrow = onlyReporting((report) => ({
  ThrowStatement: (node) => report(node, "a rule returns a verdict; it never throws"),
  TryStatement: (node) => report(node, "nothing in the kernel throws, so nothing here catches")
}))

const noModuleState = onlyReporting((report) => {
  const complain = (node) => report(node, "module state: pass it as an argument")
  const shared = new Set()
  const checkTarget = (target, node) => {
    const root = rootOf(target)
    if (root !== target && root.type === "Identifier" && shared.has(root.name) && isInsideFunction(node)) complain(node)
  }
  return {
    Program: (program) => {
      for (const statement of program.body) for (const name of namesBoundBy(statement)) shared.add(name)
    },
    "Program > VariableDeclaration[kind!='const']": complain,
    "Program > ExportNamedDeclaration > VariableDeclaration[kind!='const']": complain,
    ClassDeclaration: (node) => report(node, "kernel data is plain; a class hides state"),
    ClassExpression: (node) => report(node, "kernel data is plain; a class hides state"),
    ThisExpression: (node) => report(node, "kernel data is plain; `this` hides an argument"),
    NewExpression: (node) => {
      if (node.callee.type !== "Identifier" || !STATEFUL.has(node.callee.name) || isInsideFunction(node)) return
      const annotation = node.parent.type === "VariableDeclarator"
        ? node.parent.id.typeAnnotation?.typeAnnotation
        : undefined
      if (annotation?.type !== "TSTypeReference" || !READ_ONLY.has(annotation.typeName.name)) complain(node)
    },
    AssignmentExpression: (node) => checkTarget(node.left, node),
    UpdateExpression: (node) => checkTarget(node.argument, node),
    "UnaryExpression[operator='delete']": (node) => checkTarget(node.argument, node)
  }
})

const noAsync = onlyReporting((report) => {
  const complain = (node) => report(node, "the kernel is synchronous")
  return {
    AwaitExpression: complain,
    ImportExpression: complain,
    "[async=true]": complain,
    "ForOfStatement[await=true]": complain
  }
})

const noGenerator = onlyReporting((report) => ({
  "[generator=true]": (node) => report(node, "generators cost a hundred times a call; return early instead")
}))

const visitSources = (check) => {
  const visit = (node) => {
    if (node.source !== null && node.source !== undefined) check(node.source, node)
  }
  return {
    ImportDeclaration: visit,
    ExportNamedDeclaration: visit,
    ExportAllDeclaration: visit,
    ImportExpression: visit
  }
}

const ALLOWED = /^(effect\/Result|@noble\/.+)$/

const imports = onlyReporting((report) =>
  visitSources((source, node) => {
    if (source.type !== "Literal") return report(node, "the kernel loads nothing by a computed name")
    if (source.value.startsWith(".") || ALLOWED.test(source.value)) return undefined
    if (source.value === "effect" && (node.importKind ?? node.exportKind) === "type") return undefined
    return report(node, "the kernel imports itself, effect/Result (and types of effect) and @noble/*")
  })
)

const graphImports = onlyReporting((report) =>
  visitSources((source, node) => {
    if (source.type === "Literal" && source.value.startsWith(".")) return
    report(node, "the mempool's graph imports nothing but itself")
  })
)

// The node's own tests hold it against what conformance knows to read, and bring targets for the fuzzer.
const NODE_TESTS = [
  "kernel",
  "crypto",
  "protocol",
  "descriptors",
  "txgraph",
  "conformance",
  "property-tests",
  "node",
  "sdk",
  "zmq",
  "modules"
]

const folderOf = (path) => path.replaceAll("\\", "/").split("/").filter((part) => part !== "")[0]

const resolveFrom = (folderParts, relative) => {
  const parts = [...folderParts]
  for (const part of relative.split("/")) {
    if (part === "..") parts.pop()
    else if (part !== ".") parts.push(part)
  }
  return parts.join("/")
}

const importDirection = onlyReporting((report, context) => {
  const path = context.filename.slice(context.cwd.length).replaceAll("\\", "/")
  const from = folderOf(path)
  const allowed = path.includes("/node/test/") ? NODE_TESTS : PACKAGES.folders[from]
  if (allowed === undefined) return {}
  const folderParts = path.split("/").filter((part) => part !== "").slice(0, -1)
  return visitSources((source, node) => {
    if (source.type !== "Literal") return
    const specifier = source.value
    if (specifier.startsWith(".")) {
      const to = folderOf(resolveFrom(folderParts, specifier))
      if (to !== from) {
        report(node, `${from} reaches into ${to ?? "the root"} by a path; import @lockstep/… where that is allowed`)
      }
      return
    }
    const to = /^@lockstep\/([^/]+)/.exec(specifier)?.[1]
    if (to !== undefined && to !== from && !allowed.includes(to)) {
      report(
        node,
        `${from} must not import ${to}; it may import ${
          allowed.join(", ") || "no package"
        } (conformance/lint/folders.js)`
      )
    }
  })
})

// What judges the kernel reaches all of it; its callers have the face that kernel/package.json exports.
const JUDGES = new Set(["kernel", "conformance", "property-tests"])

const kernelFace = onlyReporting((report, context) => {
  const from = folderOf(context.filename.slice(context.cwd.length))
  if (JUDGES.has(from)) return {}
  return visitSources((source, node) => {
    if (source.type !== "Literal" || !source.value.startsWith("@lockstep/kernel/internal/")) return
    report(
      node,
      "this is inside the kernel: import it from the face of its area, @lockstep/kernel/<area>, and add it there if it is missing"
    )
  })
})

/** The check of one import by the layers of `root`, inside which the file at `path` is; none where they say nothing of it. */
const directionInside = (root, path) => {
  const { folders, shared } = FOLDERS[root]
  const parts = path.slice(root.length + 1).split("/")
  const [folder] = parts
  const isShared = shared.includes(folder)
  if (parts.length === 1 && !isShared) return undefined
  const allowed = isShared ? [] : folders[folder]
  return (specifier) => {
    if (allowed === undefined) return `${folder} has no place in the layers: add it to conformance/lint/folders.js`
    const resolved = resolveFrom(path.split("/").slice(0, -1), specifier)
    // What stands outside is the business of another table.
    if (!resolved.startsWith(`${root}/`)) return undefined
    const [to] = resolved.slice(root.length + 1).split("/")
    if (to === folder || shared.includes(to) || allowed.includes(to)) return undefined
    return `${folder} must not import ${to}: conformance/lint/folders.js has the layers of ${root}`
  }
}

const folderDirection = onlyReporting((report, context) => {
  const path = context.filename.slice(context.cwd.length).replaceAll("\\", "/").replace(/^\//, "")
  // A folder with layers of its own may stand in another one that has some.
  const checks = Object.keys(FOLDERS)
    .filter((root) => path.startsWith(`${root}/`))
    .flatMap((root) => directionInside(root, path) ?? [])
  if (checks.length === 0) return {}
  return visitSources((source, node) => {
    if (source.type !== "Literal" || !source.value.startsWith(".")) return
    for (const check of checks) {
      const fault = check(source.value)
      if (fault !== undefined) report(node, fault)
    }
  })
})

// A rule of relay that reached the judgement of a block would split the node from the network.
const policyApart = onlyReporting((report, context) => {
  const path = context.filename.slice(context.cwd.length).replaceAll("\\", "/").replace(/^\//, "")
  if (!POLICY_APART.folders.some((folder) => path.startsWith(`${folder}/`))) return {}
  return visitSources((source, node) => {
    if (source.type !== "Literal") return
    const isPolicy = POLICY_APART.modules.some((module) => source.value.startsWith(module)) ||
      POLICY_APART.wholeFaces.includes(source.value)
    if (isPolicy) report(node, "what judges blocks imports no relay policy: conformance/lint/folders.js, POLICY_APART")
  })
})

export default {
  meta: { name: "lockstep" },
  rules: {
    "no-throw": noThrow,
    "no-module-state": noModuleState,
    "no-async": noAsync,
    "no-generator": noGenerator,
    "kernel-imports": imports,
    "graph-imports": graphImports,
    "import-direction": importDirection,
    "kernel-face": kernelFace,
    "folder-direction": folderDirection,
    "policy-apart": policyApart,
    "injected-clock": injectedClock,
    "injected-environment": injectedEnvironment
  }
}
