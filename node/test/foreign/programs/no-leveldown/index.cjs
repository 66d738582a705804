// The node keeps everything in memory here, and the true package would have to be compiled: this store cannot be opened.
module.exports = () => {
  throw new Error("there is no store on disk here")
}
