import type { ClipFamily, Mode } from '@solstice/contracts'
import { createStore, type Store } from '../../ui/store.ts'
import { type call, failureCode, type upload } from '../data/client.ts'
import { families, isTooLong } from './family.ts'

/** The stage that a new clip has reached; `long` waits to be cut, or for nothing; `trim` waits for the choice of a part. */
export type ClipStage =
  | { is: 'queued' }
  | { is: 'checking' }
  | { is: 'uploading'; part: number }
  | { is: 'long'; durationS: number }
  | { is: 'trim'; durationS: number }
  | { is: 'done' }
  | { is: 'duplicate' }
  | { is: 'failed'; error: unknown }

export interface ClipUpload {
  id: string
  family: ClipFamily
  mode: Mode
  name: string
  bytes: Blob
  /** A part of it may be chosen before it is sent. */
  isTrimmed: boolean
  stage: ClipStage
}

export interface ClipUploadDeps {
  call: typeof call
  upload: typeof upload
  /** Seconds; null when the file can't be decoded here, which the station then judges. */
  measure: (bytes: Blob) => Promise<number | null>
  closing: AbortSignal
}

/** New clips on their way to the station. */
export interface ClipUploads {
  readonly items: Store<readonly ClipUpload[]>
  /** @param isTrimmed asks for the part of each that is sent. */
  add(family: ClipFamily, mode: Mode, files: readonly File[], isTrimmed?: boolean): void
  /** Sends a part of a file, or the whole, without asking again. */
  replace(id: string, bytes: Blob): void
  retry(id: string): void
  /** Forgets a clip; what is on its way stops. */
  drop(id: string): void
}

const AT_ONCE = 3
const running: readonly ClipStage['is'][] = ['checking', 'uploading']

export function createClipUploads(deps: ClipUploadDeps): ClipUploads {
  const items = createStore<readonly ClipUpload[]>([])
  const stops = new Map<string, AbortController>()
  let last = 0
  const change = (id: string, next: Partial<ClipUpload>) =>
    items.set(items.value.map((item) => (item.id === id ? { ...item, ...next } : item)))
  const move = (id: string, stage: ClipStage) => change(id, { stage })

  function next(): void {
    while (
      !deps.closing.aborted &&
      items.value.filter(({ stage }) => running.includes(stage.is)).length < AT_ONCE
    ) {
      const item = items.value.find(({ stage }) => stage.is === 'queued')
      if (!item) return
      void run(item)
    }
  }

  async function run(item: ClipUpload): Promise<void> {
    const stop = new AbortController()
    stops.set(item.id, stop)
    const close = () => stop.abort()
    deps.closing.addEventListener('abort', close)
    move(item.id, { is: 'checking' })
    try {
      move(item.id, await send(deps, item, stop.signal, (part) => move(item.id, { is: 'uploading', part })))
    } catch (error) {
      move(item.id, failureCode(error) === 'FILENAME_EXISTS' ? { is: 'duplicate' } : { is: 'failed', error })
    } finally {
      deps.closing.removeEventListener('abort', close)
      stops.delete(item.id)
      next()
    }
  }

  return {
    items,
    add(family, mode, files, isTrimmed = false) {
      const added = files.map(
        (file): ClipUpload => ({
          id: String(++last),
          family,
          mode,
          name: file.name,
          bytes: file,
          isTrimmed,
          stage: { is: 'queued' },
        }),
      )
      items.set([...items.value, ...added])
      next()
    },
    replace(id, bytes) {
      change(id, { bytes, isTrimmed: false, stage: { is: 'queued' } })
      next()
    },
    retry(id) {
      move(id, { is: 'queued' })
      next()
    },
    drop(id) {
      stops.get(id)?.abort()
      items.set(items.value.filter((item) => item.id !== id))
    },
  }
}

/** Sends a clip unless its name is taken or it lasts too long. @throws as `call` */
async function send(
  { call, upload, measure }: ClipUploadDeps,
  { family, mode, name, bytes, isTrimmed }: ClipUpload,
  signal: AbortSignal,
  onProgress: (part: number) => void,
): Promise<ClipStage> {
  const check = { body: { filename: name }, signal }
  const { exists } = await call(`POST /api/admin/${family}/upload-check-duplicate`, check)
  if (exists) return { is: 'duplicate' }
  if (isTrimmed || families[family].maxSeconds !== null) {
    const durationS = await measure(bytes)
    signal.throwIfAborted()
    if (durationS !== null && isTooLong(family, durationS)) return { is: 'long', durationS }
    if (isTrimmed && durationS !== null) return { is: 'trim', durationS }
  }
  onProgress(0)
  const headers = { 'X-File-Name': encodeURIComponent(name), 'Content-Type': 'audio/mpeg' }
  await upload(
    `POST /api/admin/${family}/upload`,
    { query: { mode }, body: bytes, headers, signal },
    onProgress,
  )
  return { is: 'done' }
}
