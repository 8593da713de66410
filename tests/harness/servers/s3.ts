import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Teardown } from '../processes/processes.ts'

/** Handles a request in place of the server; returns whether it did. */
export type Fault = (request: IncomingMessage, answer: ServerResponse) => boolean

export interface S3Server {
  readonly url: string
  /** The environment of a station whose files lie in a bucket of their own on this server. */
  env(bucket: string): Promise<Record<string, string>>
  /** All requests received, as method and path. */
  readonly requests: string[]
  fault: Fault | null
  /** Maximum number of objects on a page of a listing. */
  pageSize: number | null
  /** Breaks all connections, and accepts none until it is started again. */
  stop(): Promise<void>
  start(): Promise<void>
}

/** The limit of a file system, less the suffix that s3rver appends. */
const MAX_NAME_BYTES = 255 - '._S3rver_metadata.json'.length
/** s3rver accepts only one pair of keys. */
const KEY = 'S3RVER'

/**
 * A real S3 server of the test's own, in this process, that ends with the test.
 *
 * The front before it makes up for what s3rver lacks: s3rver decodes the source of a copy as if it were a whole URL, so that
 * `+`, `&` and `%` in a key are lost; it ignores conditions on writes; and it cannot return a listing page by page
 * (its tokens need a cipher that no longer exists). Requests rewritten by the front go to a second server over the same
 * folder that does not check signatures; all others go to one that does.
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
/** A server shared by all tests of this process; it ends with the process. */
export function sharedS3(): Promise<S3Server> {
  shared ??= (async () => {
    const folder = await mkdtemp(join(tmpdir(), 'solstice-test-s3-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    return (await serve(folder, true)).server
  })()
  return shared
}

/**
 * Settings by which a station keeps its files in this folder, or, with `TEST_MEDIA=cloud`, in a bucket on a server
 * shared by all tests of this process.
 *
 * @param env the test's own settings: a test about files that do not last keeps them local.
 */
export async function mediaSettings(
  folder: string,
  env: Record<string, string>,
): Promise<Record<string, string>> {
  if (process.env.TEST_MEDIA !== 'cloud' || env.EPHEMERAL_STORAGE || env.MEDIA_STORAGE) return {}
  return (await sharedS3()).env(basename(folder).toLowerCase())
}

async function serve(folder: string, isShared = false): Promise<{ server: S3Server; end(): Promise<void> }> {
  const S3rver = loadS3rver()
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
    // s3rver would never answer: it stores each object in a file with a longer name.
    if (Buffer.byteLength(basename(path)) > MAX_NAME_BYTES) return refuse(request, answer, 400)
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

/** Makes a listing return everything. */
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

/** s3rver ships no types. Loaded where a bucket is used: most stations keep their files in a folder. */
const loadS3rver = () =>
  createRequire(import.meta.url)('s3rver') as new (options: {
    directory: string
    silent: boolean
    allowMismatchedSignatures: boolean
  }) => { callback(): RequestListener }
