import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** Preloaded into a program, it prints each file write, flush and rename of that program once it is done. */
const { openSync, closeSync, writeSync, fsync, renameSync, promises } = fs
const { open, rename, link } = promises
const paths = new Map()
const tell = (line) => writeSync(1, `${line}\n`)

fs.openSync = (path, ...how) => {
  const fd = openSync(path, ...how)
  paths.set(fd, path)
  return fd
}
fs.closeSync = (fd) => {
  paths.delete(fd)
  closeSync(fd)
}
fs.writeSync = (fd, ...what) => {
  const written = writeSync(fd, ...what)
  if (paths.has(fd)) tell(`write ${paths.get(fd)}`)
  return written
}
fs.fsync = (fd, done) => {
  const path = paths.get(fd)
  fsync(fd, (error) => {
    tell(`sync ${path}`)
    done(error)
  })
}
fs.renameSync = (from, to) => {
  renameSync(from, to)
  tell(`rename ${from} ${to}`)
}
promises.rename = async (from, to) => {
  await rename(from, to)
  tell(`rename ${from} ${to}`)
}
promises.link = async (from, to) => {
  await link(from, to)
  tell(`link ${from} ${to}`)
}
promises.open = async (path, ...how) => {
  const file = await open(path, ...how)
  const sync = file.sync.bind(file)
  file.sync = async () => {
    await sync()
    tell(`sync ${path}`)
  }
  return file
}
syncBuiltinESMExports()
