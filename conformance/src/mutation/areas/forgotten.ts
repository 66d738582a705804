import { childrenOf, isNode, type SyntaxNode } from "../../trace/syntax.ts"
import type { TextOf } from "../operators.ts"
import { DELETED } from "../sites.ts"
import { unitConfused } from "./units.ts"

/**
 * What people forget: to clean up, to lower a counter, to hand on an error or to survive one, to wait for the end of a
 * call; which argument comes first; which unit a number has. `value`: any other change.
 */
export const KINDS = ["clean-up", "counter", "error", "wait", "argument", "unit", "value"] as const
export type Kind = typeof KINDS[number]

/** Another text for a node, and what it stands for. */
export interface Forgotten {
  readonly text: string
  readonly kind: Kind
}

/** Methods and functions that give back what was taken. */
const CLEAN_UP =
  /(?:^|[.\s])(?:clear\w*|close\w*|destroy\w*|end|off|remove\w*|unsubscribe\w*|unref|delete\w*|release\w*|abort\w*|shutdown\w*|interrupt\w*|unlink\w*|rm(?:Sync)?|dispose\w*|kill|terminate|addFinalizer|forget\w*|unregister\w*|stop\w*|leave\w*|drop\w*)$/
const FAILURE = /(?:^|\.)(?:fail|failSync|die|reject\w*|refuse\w*)$/

/** Steps of a pipe that end what was begun, or that say what happens after a failure. */
const CLEANING_STEP = /^(?:Effect|Stream|Scope)\.(?:ensuring|onExit|onInterrupt|scoped|interruptible|timeout\w*)$/
const ERROR_STEP =
  /^(?:Effect|Stream)\.(?:catch\w*|ignore\w*|retry\w*|tapError\w*|tapCause|mapError|orElse\w*|onError|sandbox|uninterruptible)$/

const isText = (node: unknown, type: string): node is SyntaxNode => isNode(node) && node.type === type

const calleeOf = (node: unknown, textOf: TextOf): string | undefined =>
  isText(node, "CallExpression") ? textOf(node["callee"] as SyntaxNode) : undefined

const argumentsOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> =>
  node.type === "CallExpression" ? node["arguments"] as ReadonlyArray<SyntaxNode> : []

/** The kind of fault that deleting a statement is. */
export const kindOfDeleted = (statement: SyntaxNode, textOf: TextOf): Kind => {
  let inner = statement["expression"]
  while (isText(inner, "YieldExpression") || isText(inner, "AwaitExpression")) inner = inner["argument"]
  if (isText(inner, "UpdateExpression") || isText(inner, "AssignmentExpression")) {
    return /^(?:--|-=|\+\+|\+=)$/.test(String(inner["operator"])) ? "counter" : "value"
  }
  const callee = calleeOf(isText(inner, "ChainExpression") ? inner["expression"] : inner, textOf)
  if (callee === undefined) return "value"
  return CLEAN_UP.test(callee) ? "clean-up" : FAILURE.test(callee) ? "error" : "value"
}

const SAME = "(same) => same"

/** A step of `a.pipe(…)` that is left out. */
const stepLeftOut = (node: SyntaxNode, parent: SyntaxNode, textOf: TextOf): ReadonlyArray<Forgotten> => {
  if (!calleeOf(parent, textOf)?.endsWith("pipe") || !argumentsOf(parent).includes(node)) return []
  const name = calleeOf(node, textOf) ?? textOf(node)
  return CLEANING_STEP.test(name)
    ? [{ text: SAME, kind: "clean-up" }]
    : ERROR_STEP.test(name)
    ? [{ text: SAME, kind: "error" }]
    : []
}

const RELEASES: Readonly<Record<string, number>> = {
  "Effect.acquireRelease": 1,
  "Effect.acquireUseRelease": 2,
  "Effect.ensuring": 1
}

/** What gives back what was taken, and does nothing. */
const releaseLeftOut = (node: SyntaxNode, parent: SyntaxNode, textOf: TextOf): ReadonlyArray<Forgotten> => {
  const callee = calleeOf(parent, textOf) ?? ""
  const place = argumentsOf(parent).indexOf(node)
  if (callee === "Effect.ensuring" && place === 1) return [{ text: "Effect.void", kind: "clean-up" }]
  return place > 0 && RELEASES[callee] === place ? [{ text: "() => Effect.void", kind: "clean-up" }] : []
}

/** A call for cleaning up whose result is not used, such as the body of an arrow function. */
const cleanUpLeftOut = (node: SyntaxNode, parent: SyntaxNode, textOf: TextOf): ReadonlyArray<Forgotten> => {
  const callee = calleeOf(node, textOf)
  const isBody = (parent.type === "ArrowFunctionExpression" && parent["body"] === node) ||
    parent.type === "UnaryExpression"
  return isBody && callee !== undefined && CLEAN_UP.test(callee) && !callee.startsWith("Effect.")
    ? [{ text: "undefined", kind: "clean-up" }]
    : []
}

const counterLeft = (node: SyntaxNode, parent: SyntaxNode, textOf: TextOf): ReadonlyArray<Forgotten> => {
  if (parent.type === "ForStatement") return []
  if (node.type === "UpdateExpression") return [{ text: textOf(node["argument"] as SyntaxNode), kind: "counter" }]
  if (node.type === "AssignmentExpression" && /^[+-]=$/.test(String(node["operator"]))) {
    return [{ text: textOf(node["left"] as SyntaxNode), kind: "counter" }]
  }
  // `Ref.update(count, (n) => n - 1)`
  const isStep = node.type === "BinaryExpression" && parent.type === "ArrowFunctionExpression" &&
    /^[+-]$/.test(String(node["operator"])) && textOf(node["right"] as SyntaxNode) === "1"
  return isStep ? [{ text: textOf(node["left"] as SyntaxNode), kind: "counter" }] : []
}

const errorLost = (node: SyntaxNode, parent: SyntaxNode, textOf: TextOf): ReadonlyArray<Forgotten> => {
  if (node.type === "ThrowStatement") return [{ text: DELETED, kind: "error" }]
  if (node.type === "BlockStatement" && parent.type === "CatchClause" && childrenOf(node).length > 0) {
    return [{ text: DELETED, kind: "error" }]
  }
  if (node.type === "BlockStatement" && parent.type === "TryStatement" && parent["finalizer"] === node) {
    return [{ text: DELETED, kind: "clean-up" }]
  }
  if (node.type === "TryStatement" && isNode(node["handler"]) && !isNode(node["finalizer"])) {
    return [{ text: textOf(node["block"] as SyntaxNode), kind: "error" }]
  }
  return []
}

const waitLeftOut = (node: SyntaxNode, parent: SyntaxNode, textOf: TextOf): ReadonlyArray<Forgotten> =>
  node.type === "AwaitExpression" && parent.type !== "ExpressionStatement"
    ? [{ text: textOf(node["argument"] as SyntaxNode), kind: "wait" }]
    : []

const PLAIN = new Set(["Identifier", "MemberExpression"])

/** Functions whose answer is the same whichever of their two arguments comes first. */
const SYMMETRIC = /^(?:Math\.(?:max|min)|bytesEqual|timingSafeEqual|isSameSecret)$/

/** Two neighbouring arguments that change places; where their types differ the type check refuses it. */
const argumentsSwapped = (node: SyntaxNode, textOf: TextOf): ReadonlyArray<Forgotten> => {
  const given = argumentsOf(node)
  if (given.length === 2 && SYMMETRIC.test(calleeOf(node, textOf) ?? "")) return []
  return given.flatMap((first, i): ReadonlyArray<Forgotten> => {
    const second = given[i + 1]
    if (second === undefined || !PLAIN.has(first.type) || !PLAIN.has(second.type)) return []
    if (textOf(first) === textOf(second)) return []
    const text = textOf(node)
    const [a, b] = [first, second].map(({ start, end }) => [start - node.start, end - node.start] as const)
    return [{
      text: text.slice(0, a![0]) + textOf(second) + text.slice(a![1], b![0]) + textOf(first) + text.slice(b![1]),
      kind: "argument"
    }]
  })
}

/** Texts in place of `node` in which something is left out or confused. */
export const forgottenAt = (node: SyntaxNode, parent: SyntaxNode, textOf: TextOf): ReadonlyArray<Forgotten> => [
  ...stepLeftOut(node, parent, textOf),
  ...releaseLeftOut(node, parent, textOf),
  ...cleanUpLeftOut(node, parent, textOf),
  ...counterLeft(node, parent, textOf),
  ...errorLost(node, parent, textOf),
  ...waitLeftOut(node, parent, textOf),
  ...argumentsSwapped(node, textOf),
  ...unitConfused(node, textOf).map((text): Forgotten => ({ text, kind: "unit" }))
]
