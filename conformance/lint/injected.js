/*
 * What the node takes from outside in one place each, so that a test can put something else there: its time comes from
 * Effect's Clock (`node/src/clock.ts`), its variables from the command line (`node/src/cli/environment.ts`).
 */
const CLOCKS = new Set(["Date.now", "performance.now", "process.hrtime"])
const TIMERS = new Set(["setTimeout", "setInterval"])

const nameOf = ({ computed, object, property }) =>
  !computed && object.type === "Identifier" && property.type === "Identifier" ? `${object.name}.${property.name}` : ""

export const injectedClock = {
  create: (context) => {
    const report = (node, name) =>
      context.report({ node, message: `${name}: take the time from Effect's Clock, see node/src/clock.ts` })
    return {
      MemberExpression: (node) => {
        if (CLOCKS.has(nameOf(node))) report(node, nameOf(node))
      },
      NewExpression: (node) => {
        if (node.callee.type === "Identifier" && node.callee.name === "Date" && node.arguments.length === 0) {
          report(node, "new Date()")
        }
      },
      CallExpression: (node) => {
        if (node.callee.type === "Identifier" && TIMERS.has(node.callee.name)) report(node, node.callee.name)
      }
    }
  }
}

export const injectedEnvironment = {
  create: (context) => ({
    MemberExpression: (node) => {
      if (nameOf(node) !== "process.env") return
      context.report({ node, message: "process.env: pass it as an option from node/src/cli/environment.ts" })
    }
  })
}
