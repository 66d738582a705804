/** The script machine and what it judges. */
export { createMachine, type Machine, type Spend } from "./machine/machine.ts"
