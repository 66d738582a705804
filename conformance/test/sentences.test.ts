import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { childrenOf, parseSource, type SyntaxNode } from "../src/trace/syntax.ts"

const ROOT = join(import.meta.dirname, "../..")

/** House style asks for about 25 words. */
const MOST_WORDS = 30

/** Enumerations that a table would not make easier to read, by their beginning. */
const ENUMERATIONS = ["accept (a header, block or transaction after checks)", "`PaymentRequestCreated`"]

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8")

const filesOf = (...patterns: ReadonlyArray<string>): ReadonlyArray<string> =>
  patterns.flatMap((pattern) => globSync(pattern, { cwd: ROOT, exclude: (path) => path.includes("node_modules") }))

/** What is shown as code counts as one word, and an address of a link as none. */
const sentencesOf = (text: string): ReadonlyArray<string> =>
  text.replaceAll(/\s+/g, " ").trim().replaceAll(/\]\([^)]*\)/g, "]").split(/(?<=[.!?:;])\s+(?=[A-Z0-9`*([@])/)

const lengthOf = (sentence: string): number => sentence.replaceAll(/`[^`]*`/g, "X").split(" ").length

const longOnes = (file: string, paragraphs: ReadonlyArray<string>): ReadonlyArray<string> =>
  paragraphs.flatMap(sentencesOf).filter((sentence) =>
    lengthOf(sentence) > MOST_WORDS && !ENUMERATIONS.some((beginning) => sentence.startsWith(beginning))
  ).map((sentence) => `${file}: ${sentence}`)

const paragraphsOfPage = (text: string): ReadonlyArray<string> =>
  text.replaceAll(/```[^]*?```/g, "").split(/\n\s*\n|\n(?=\s*[-*|#]|\s*\d+\.)|\|/)

const paragraphsOfComments = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^[ \t]*\/\*\*?([^]*?)\*\/|((?:^[ \t]*\/\/.*\n)+)/gm)].flatMap(([, block, lines]) =>
    (block ?? lines!).replaceAll(/^[ \t]*(?:\*|\/\/) ?/gm, "").split(/\n\s*\n|\n(?=\s*(?:[-*|]|\d+\.|@\w))/)
  )

/** The text that an expression makes, with one word for each value in it; none: it makes none. */
const textOf = (node: SyntaxNode): string | undefined => {
  if (node.type === "Literal") return typeof node["value"] === "string" ? node["value"] : undefined
  if (node.type === "TemplateLiteral") {
    const values = node["expressions"] as ReadonlyArray<SyntaxNode>
    return (node["quasis"] as ReadonlyArray<{ readonly value: { readonly raw: string } }>)
      .map(({ value }, i) => value.raw + (i < values.length ? textOf(values[i]!) ?? "X" : "")).join("")
  }
  if (node.type !== "BinaryExpression" || node["operator"] !== "+") return undefined
  const [left, right] = [textOf(node["left"] as SyntaxNode), textOf(node["right"] as SyntaxNode)]
  return left === undefined && right === undefined ? undefined : (left ?? "X") + (right ?? "X")
}

/** Pages, tables and code that a program writes have lines of their own: only one paragraph is prose. */
const textsIn = (node: SyntaxNode): ReadonlyArray<string> => {
  const text = textOf(node)
  if (text === undefined) return childrenOf(node).flatMap(textsIn)
  return /\n|\\n/.test(text) ? [] : [text]
}

/** Words of a list, such as values of an option, begin with small letters. */
const sentencesOfMessage = (text: string): ReadonlyArray<string> => text.split(/(?<=[.!?:;])\s+/)

describe("sentences of at most 30 words", () => {
  it("make up the documents", () => {
    const pages = filesOf("*.md", "docs/{architecture,contribute,decisions,modules,operate}/*.md", "docs/*.md")
    assert.deepStrictEqual(pages.flatMap((page) => longOnes(page, paragraphsOfPage(read(page)))), [])
  })

  it("make up the comments of sources", () => {
    const sources = filesOf(
      "{crypto,descriptors,kernel,node,protocol,sdk,txgraph,zmq}/src/**/*.ts",
      "modules/*/src/**/*.ts"
    )
    assert.deepStrictEqual(sources.flatMap((source) => longOnes(source, paragraphsOfComments(read(source)))), [])
  })

  it("make up messages, help and descriptions", () => {
    const sources = filesOf(
      "{crypto,descriptors,kernel,node,protocol,sdk,txgraph,zmq}/src/**/*.ts",
      "modules/*/src/**/*.ts"
    )
    const long = sources.flatMap((source) =>
      textsIn(parseSource(source, read(source)).program).flatMap(sentencesOfMessage).filter((sentence) =>
        lengthOf(sentence) > MOST_WORDS
      ).map((sentence) => `${source}: ${sentence}`)
    )
    assert.deepStrictEqual(long, [])
  })
})
