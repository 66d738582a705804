/**
 * A vector file that cannot be read as its format: which file, where in it, and what is wrong. Never shown with a
 * stack.
 */
export class MalformedVector extends Error {
  readonly file: string
  readonly position: string
  readonly problem: string

  constructor(file: string, position: string, problem: string) {
    super(`${file}${position === "" ? "" : `, ${position}`}: ${problem}`)
    this.name = "MalformedVector"
    this.file = file
    this.position = position
    this.problem = problem
  }
}
