import type { Mode, RemovedArtist } from '@solstice/contracts'
import { createStore, type Store } from '../../ui/store.ts'
import { failureCode } from '../data/client.ts'
import type { IntakeProgress } from '../intake/intake.ts'
import {
  firstTags,
  isFinished,
  isIncomplete,
  isRepeated,
  isRunning,
  type Review,
  type Source,
  type Tags,
  type UploadItem,
} from './upload-item.ts'
import { commit, lookUpLyrics, receive, type StepDeps } from './upload-steps.ts'

export interface UploadDeps extends StepDeps {
  progress: Store<IntakeProgress | null>
  /** False while it is known that the station can't be reached. */
  isOnline: () => boolean
  /** Aborted when the panel closes: nothing more is sent. */
  closing: AbortSignal
  failed: (error: unknown) => void
  artistsRemoved: (artists: readonly RemovedArtist[]) => void
}

/** New tracks on their way into the library; it goes on while other parts are shown. */
export interface UploadQueue {
  readonly items: Store<readonly UploadItem[]>
  readonly review: Store<Review>
  add(sources: readonly Source[], mode: Mode): void
  /** A file that the station already has is sent again under the other mode. */
  setMode(id: string, mode: Mode): void
  /** Makes an item wait for its tags to be checked before it is saved, or no longer. */
  hold(id: string, isHeld: boolean): void
  write(id: string, tags: Tags): void
  /** Saves an item that is `ready`, with the tags that were written. */
  approve(id: string): void
  retry(id: string): void
  /** The connection is back: what waited for it goes on from where it was. */
  resume(): void
  /** Ends an item, and removes what the station has of it. */
  cancel(id: string): void
  /** Ends all that isn't finished. */
  stop(): void
  /** Forgets items that are finished. */
  clear(): void
  /** Tells how far the download of a link is, 0 to 1. */
  downloaded(part: number): void
  /** Forgets items whose tracks were deleted. */
  forget(ids: readonly string[]): void
  change(id: string, change: (item: UploadItem) => UploadItem): void
}

const AT_ONCE = 3

export function createUploadQueue(deps: UploadDeps): UploadQueue {
  const list = createList(deps.progress)
  const { items, find, put, change, move } = list
  const review = createStore<Review>('incomplete')
  const { next, resume, stopRun, remove } = createRunner(deps, list, review)
  let last = 0
  const cancel = (id: string) => {
    const item = find(id)
    if (!item || isFinished(item) || stopRun(id)) return
    move(id, { is: 'cancelled' })
    void remove(item.uploaded?.storageKey)
  }

  deps.closing.addEventListener('abort', () => put([]))
  return {
    items,
    review,
    change,
    cancel,
    add(sources, mode) {
      const fresh = { mode, uploaded: null, tags: null, check: null, stage: { is: 'queued' } } as const
      put([...items.value, ...sources.map((source) => ({ id: String(++last), source, ...fresh }))])
      next()
    },
    setMode(id, mode) {
      const item = find(id)
      if (!item || item.mode === mode || isRunning(item) || item.stage.is === 'done') return
      change(id, () => ({ ...item, mode, uploaded: null, stage: { is: 'queued' } }))
      void remove(item.uploaded?.storageKey).then(next)
    },
    hold: (id, isHeld) => change(id, (item) => ({ ...item, check: isHeld ? 'held' : null })),
    write: (id, tags) => change(id, (item) => ({ ...item, tags })),
    approve(id) {
      change(id, (item) => {
        const tags = item.tags ?? firstTags(item.uploaded!)
        return { ...item, tags, check: 'approved', stage: { is: 'queued' } }
      })
      next()
    },
    retry(id) {
      change(id, (item) => {
        const isGone = item.stage.is !== 'failed' || failureCode(item.stage.error) === 'BAD_REQUEST'
        return { ...item, uploaded: isGone ? null : item.uploaded, stage: { is: 'queued' } }
      })
      next()
    },
    stop() {
      for (const { id } of items.value) cancel(id)
    },
    resume,
    clear: () => put(items.value.filter((item) => !isFinished(item))),
    downloaded(part) {
      const item = items.value.find(({ source, stage }) => source.is === 'link' && stage.is === 'uploading')
      if (item) move(item.id, { is: 'uploading', part })
    },
    forget: (ids) => put(items.value.filter(({ id }) => !ids.includes(id))),
  }
}

type ItemList = ReturnType<typeof createList>

/** The items, whose progress is told to the panel; while one isn't finished, closing the window asks first. */
function createList(progress: UploadDeps['progress']) {
  const items = createStore<readonly UploadItem[]>([])
  const put = (next: readonly UploadItem[]) => {
    items.set(next)
    const finished = next.filter(isFinished).length
    const isBusy = finished < next.length
    progress.set(isBusy ? { finished, total: next.length } : null)
    if (isBusy) addEventListener('beforeunload', guard)
    else removeEventListener('beforeunload', guard)
  }
  const change: UploadQueue['change'] = (id, how) =>
    put(items.value.map((item) => (item.id === id ? how(item) : item)))
  return {
    items,
    put,
    change,
    find: (id: string) => items.value.find((item) => item.id === id),
    move: (id: string, stage: UploadItem['stage']) => change(id, (item) => ({ ...item, stage })),
  }
}

/** Takes items on their way, at most so many at once as `AT_ONCE` says. */
function createRunner(deps: UploadDeps, list: ItemList, review: Store<Review>) {
  const { items, find, move } = list
  const stops = new Map<string, AbortController>()
  let timer: ReturnType<typeof setTimeout> | undefined
  deps.closing.addEventListener('abort', () => clearTimeout(timer))

  /** Removes a file that waits for its commit, or the track it has become. */
  async function remove(key: string | undefined): Promise<void> {
    if (!key || deps.closing.aborted) return
    try {
      const body = { songIds: [key] }
      const { removedArtists } = await deps.call('POST /api/admin/upload-batch-delete', { body })
      deps.artistsRemoved(removedArtists)
    } catch (error) {
      deps.failed(error)
    }
  }

  async function run(id: string): Promise<void> {
    const stop = new AbortController()
    const leave = () => stop.abort()
    deps.closing.addEventListener('abort', leave)
    stops.set(id, stop)
    try {
      move(id, await bring(deps, list, review, id, stop.signal))
    } catch (error) {
      const isTaken = failureCode(error) === 'FILENAME_EXISTS'
      // Cancelled items wait until nothing of them is left on the station.
      if (stop.signal.aborted) await remove(find(id)?.uploaded?.storageKey)
      if (stop.signal.aborted) move(id, { is: 'cancelled' })
      else if (error instanceof TypeError) awaitConnection(id)
      else move(id, isTaken ? { is: 'duplicate' } : { is: 'failed', error })
    } finally {
      deps.closing.removeEventListener('abort', leave)
      stops.delete(id)
      next()
    }
  }

  /** Without a connection an item keeps what the station has of it. */
  function awaitConnection(id: string): void {
    move(id, { is: 'waiting' })
    // While the station is known to be away, its return resumes them.
    timer ??= setTimeout(() => {
      timer = undefined
      if (deps.isOnline()) resume()
    }, deps.retryMs)
  }

  function resume(): void {
    for (const { id, stage } of items.value) if (stage.is === 'waiting') move(id, { is: 'queued' })
    next()
  }

  function next(): void {
    if (deps.closing.aborted) return
    for (;;) {
      const running = items.value.filter(isRunning)
      if (running.length >= AT_ONCE) return
      // Links one by one: the station announces a download without naming its link.
      const isLinkRunning = running.some(({ source }) => source.is === 'link')
      const item = items.value.find(
        ({ stage, source }) => stage.is === 'queued' && !(source.is === 'link' && isLinkRunning),
      )
      if (!item) return
      void run(item.id)
    }
  }

  /** Stops an item that is on its way; false when it isn't. */
  const stopRun = (id: string): boolean => {
    const stop = stops.get(id)
    stop?.abort()
    return stop !== undefined
  }
  return { next, resume, remove, stopRun }
}

/** Brings an item as far as it goes by itself. @returns the stage it ends in. @throws as `call` */
async function bring(
  deps: UploadDeps,
  { items, find, change, move }: ItemList,
  review: Store<Review>,
  id: string,
  signal: AbortSignal,
): Promise<UploadItem['stage']> {
  move(id, { is: 'checking' })
  const item = find(id)!
  if (!item.uploaded) {
    if (isRepeated(item, items.value)) return { is: 'duplicate' }
    const received = await receive(deps, item, signal, (part) => move(id, { is: 'uploading', part }))
    if (!received) return { is: 'duplicate' }
    change(id, (known) => ({ ...known, uploaded: received }))
    signal.throwIfAborted()
  }
  const ready = find(id)!
  if (isChecked(ready, review.value)) return { is: 'ready' }
  const uploaded = ready.uploaded!
  move(id, { is: 'lyrics' })
  const lyricsEntry = await lookUpLyrics(deps, { ...uploaded, ...ready.tags }, signal)
  signal.throwIfAborted()
  move(id, { is: 'saving' })
  // A commit that has begun is awaited even when it is stopped; its track is removed then.
  const done = await commit(deps, uploaded, ready.tags, lyricsEntry)
  signal.throwIfAborted()
  return done ? { is: 'done', ...done } : { is: 'duplicate' }
}

/** True when an admin has to look at its tags before it is saved. */
function isChecked({ check, uploaded }: UploadItem, review: Review): boolean {
  if (check === 'approved') return false
  return check === 'held' || review === 'every' || (review === 'incomplete' && isIncomplete(uploaded!))
}

/** Asks before the window is closed: what isn't saved would be lost. */
const guard = (event: BeforeUnloadEvent) => event.preventDefault()
