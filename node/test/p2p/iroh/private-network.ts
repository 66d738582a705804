import { networkInterfaces } from "node:os"

/** Which variable says that a run of tests has a network of its own. */
export const PRIVATE = "LOCKSTEP_TEST_PRIVATE_NETWORK"

/**
 * Whether this process has nothing but the loopback interface. Iroh's library asks routers for a port wherever it is
 * bound, and cannot be kept from it: tests with its sockets run where no router is.
 */
export const isPrivateNetwork = process.env[PRIVATE] === "1" &&
  Object.keys(networkInterfaces()).every((name) => name === "lo")
