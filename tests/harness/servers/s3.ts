import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Teardown } from '../processes/processes.ts'

/** Does something else with a request than to serve it; says whether it did. */
export type Fault = (request: IncomingMessage, answer: ServerResponse) => boolean

export interface S3Server {
  readonly url: string
  /** What the environment of a station says whose files lie in a bucket of their own here. */
  env(bucket: string): Promise<Record<string, string>>
  /** All requests that came, as method and path. */
  readonly requests: string[]
  fault: Fault | null
  /** Objects on a page of a listing at most. */
  pageSize: number | null
  /** Breaks all connections off, and takes none until it starts again. */
  stop(): Promise<void>
  start(): Promise<void>
}

/** What a file system takes, without what s3rver appends. */
const LONGEST_NAME_BYTES = 255 - '._S3rver_metadata.json'.length
/** s3rver knows one pair of keys only. */
const KEY = 'S3RVER'

/**
 * A real S3 server of the test's own, in this process, that is gone when the test is.
 *
 * Before it stands a front that gives it what it lacks: it decodes the source of a copy as if it were a whole address, so
 * that `+`, `&` and `%` in a key are lost, it knows no conditions on writes, and it cannot give out a listing page by page
 * (its tokens need a cipher that is no more). Requests that the front had to change go to a second server over the same
 * folder that does not check signatures; all others to one that does.
 */
export async function startS3(t: Teardown): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'solstice-test-s3-'))
  const { server, end } = await serve(folder)
  t.teardown(async () => {
    await end()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return server
}

let shared: Promise<S3Server> | null = null
/** One that all tests of this process use; it ends with the process. */
export function sharedS3(): Promise<S3Server> {
  shared ??= (async () => {
    const folder = await mkdtemp(join(tmpdir(), 'solstice-test-s3-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    return (await serve(folder, true)).server
  })()
  return shared
}

/**
 * Settings by which a station with this folder has its files in it, or, with `TEST_MEDIA=cloud`, in a bucket of a server
 * that all tests of this process share.
 *
 * @param env what the test wants: where it is about files that do not last, these are local.
 */
export async function mediaSettings(
  folder: string,
  env: Record<string, string>,
): Promise<Record<string, string>> {
  if (process.env.TEST_MEDIA !== 'cloud' || env.EPHEMERAL_STORAGE || env.MEDIA_STORAGE) return {}
  return (await sharedS3()).env(basename(folder).toLowerCase())
}

async function serve(folder: string, isShared = false): Promise<{ server: S3Server; end(): Promise<void> }> {
  const open = (allowMismatchedSignatures: boolean): RequestListener =>
    new S3rver({ directory: folder, silent: true, allowMismatchedSignatures }).callback()
  const [strict, lenient] = [open(false), open(true)]
  const writing = new Set<string>()

  const http = createServer((request, answer) => {
    server.requests.push(`${request.method} ${request.url}`)
    if (server.fault?.(request, answer)) return
    const url = new URL(request.url!, server.url)
    const path = decodeURIComponent(url.pathname)
    if (request.method === 'PUT' && request.headers['if-none-match'] === '*') {
      const isTaken = existsSync(join(folder, `${path}._S3rver_object`))
      if (isTaken || writing.has(path)) return refuse(request, answer, isTaken ? 412 : 409)
      writing.add(path)
      answer.once('close', () => writing.delete(path))
    }
    // It would never answer: it keeps each object in a file of a longer name.
    if (Buffer.byteLength(basename(path)) > LONGEST_NAME_BYTES) return refuse(request, answer, 400)
    const source = request.headers['x-amz-copy-source']
    const isWhole = request.headers[WHOLE] !== undefined
    if (url.searchParams.has('list-type') && server.pageSize !== null && !isWhole)
      return void sendPage(url, server.pageSize, answer)
    if (typeof source === 'string') {
      if (/[^\w.!~*'()%/-]/.test(source)) return refuse(request, answer, 400)
      request.headers['x-amz-copy-source'] = encodeURI(decodeURIComponent(source))
    }
    const handle = source || isWhole ? lenient : strict
    handle(request, answer)
  })
  const listen = async (port: number) => {
    http.listen(port, '127.0.0.1')
    await once(http, 'listening')
    if (isShared) http.unref()
  }
  await listen(0)
  const { port } = http.address() as AddressInfo
  const end = async () => {
    if (!http.listening) return
    const isClosed = once(http, 'close')
    http.close()
    http.closeAllConnections()
    await isClosed
  }

  const server: S3Server = {
    url: `http://127.0.0.1:${port}`,
    requests: [],
    fault: null,
    pageSize: null,
    async env(bucket) {
      await mkdir(join(folder, bucket), { recursive: true })
      return {
        MEDIA_STORAGE: 'cloud',
        S3_ENDPOINT: server.url,
        S3_BUCKET: bucket,
        S3_ACCESS_KEY_ID: KEY,
        S3_SECRET_ACCESS_KEY: KEY,
      }
    },
    stop: end,
    start: () => listen(port),
  }
  return { server, end }
}

/** Says that all of a listing is wanted. */
const WHOLE = 'x-test-whole'

/** A page of a listing; its token is the last key. */
async function sendPage(url: URL, size: number, answer: ServerResponse): Promise<void> {
  const whole = new URL(url)
  const token = url.searchParams.get('continuation-token')
  if (token) whole.searchParams.set('start-after', token)
  whole.searchParams.delete('continuation-token')
  const xml = await (await fetch(whole, { headers: { [WHOLE]: '' } })).text()
  const objects = xml.match(/<Contents>.*?<\/Contents>/gs) ?? []
  const page = objects.slice(0, size)
  const last = /<Key>(.*?)<\/Key>/s.exec(page.at(-1) ?? '')?.[1]
  const more = `<IsTruncated>true</IsTruncated><NextContinuationToken>${last}</NextContinuationToken>`
  const body = objects.slice(size).reduce((text, object) => text.replace(object, ''), xml)
  answer.writeHead(200, { 'content-type': 'application/xml' })
  answer.end(objects.length > size ? body.replace('<IsTruncated>false</IsTruncated>', more) : body)
}

function refuse(request: IncomingMessage, answer: ServerResponse, status: number): void {
  request.resume()
  const codes: Record<number, string> = {
    400: 'InvalidArgument',
    409: 'ConditionalRequestConflict',
    412: 'PreconditionFailed',
  }
  answer.writeHead(status, { 'content-type': 'application/xml' })
  answer.end(`<?xml version="1.0"?><Error><Code>${codes[status]}</Code><Message>refused</Message></Error>`)
}

/** It brings no types. */
const S3rver = createRequire(import.meta.url)('s3rver') as new (options: {
  directory: string
  silent: boolean
  allowMismatchedSignatures: boolean
}) => { callback(): RequestListener }
