import type {
  ClipFamily,
  ClipResult,
  JobState,
  LyricsBatchResult,
  LyricsEntry,
  Mode,
  QueueReport,
  RemovedArtist,
  Track,
  TrackResult,
} from '@solstice/contracts'
import type { Actor } from './accounts.ts'
import type { EditableTags } from './audio.ts'
import type { VideoList } from './video.ts'

/** The jobs by name: what they are given, and what they answer. Each may run twice, so each is repeatable. */
export interface Jobs {
  /** Library and disk agree again (contract: start of the service). */
  'reconcile-media': { data: Record<string, never>; result: undefined }
  /** An empty library is filled with synthesised pieces. */
  'demo-library': { data: Record<string, never>; result: undefined }
  /** Old history and audit entries leave, with uploads that were never committed. */
  'purge-expired': { data: Record<string, never>; result: undefined }
  /** The song of a paid order is queued, or it is settled that it cannot be. */
  'queue-donation': { data: { donationId: string }; result: undefined }
  /** Payments are read from the services that do not post them. */
  'poll-donations': { data: Record<string, never>; result: undefined }
  /** Orders expire, and what others left half done with payments is finished. */
  'sweep-donations': { data: Record<string, never>; result: undefined }
  /** Helper accounts that were not activated in time leave. */
  'purge-accounts': { data: Record<string, never>; result: undefined }
  /** Loudness, silence and outline of all tracks that were not measured yet, or have another file since. */
  'measure-loudness': { data: Record<string, never>; result: undefined }
  /** Lyrics of all tracks that have none yet, one by one. */
  'prefetch-lyrics': { data: Record<string, never>; result: undefined }
  /** What is given of a track: its tags, in the file and in the library, its lyrics and their offset in seconds. */
  'edit-track': {
    data: {
      songId: string
      tags?: EditableTags
      lyrics?: LyricsEntry
      offset?: number
      /** What the log says of the circumstances. */
      info?: Record<string, unknown>
      actor: Actor
    }
    result: { songId: string; isChanged: boolean }
  }
  /** `uploads`: files that wait for their commit, and what the actor has committed within a day; no quota counts there. */
  'delete-tracks': {
    data: { songIds: string[]; scope: TrackScope; actor: Actor }
    result: { results: TrackOutcome[]; removedArtists: RemovedArtist[] }
  }
  'move-tracks': {
    data: { songIds: string[]; targetMode: Mode; scope: TrackScope; actor: Actor }
    result: { results: TrackOutcome[]; removedArtists: RemovedArtist[] }
  }
  'delete-clips': {
    data: { family: ClipFamily; ids: string[]; actor: Actor }
    result: { results: ClipResult[] }
  }
  'move-clips': {
    data: { family: ClipFamily; ids: string[]; targetMode: Mode; actor: Actor }
    result: { results: ClipResult[] }
  }
  'lyrics-batch': {
    data: { songIds: string[]; force: boolean; actor: Actor }
    result: { results: LyricsBatchResult[] }
  }
  /** The tracks behind a video or playlist link. */
  'list-videos': { data: { url: string }; result: VideoList }
  /** The sound of a video is taken in and waits for its commit, as an uploaded file does. */
  'import-video': { data: { url: string; mode: Mode; actor: Actor }; result: Omit<Track, 'id'> }
}

/** Which tracks a batch may change. */
export type TrackScope = 'library' | 'uploads'

/** What became of one track; a refusal has the details that its code asks for. */
export type TrackOutcome = TrackResult & {
  removedFromQueue: number
  details?: Record<string, string | number | boolean | null>
}

export type JobName = keyof Jobs
export type JobData<N extends JobName> = Jobs[N]['data']
export type JobResult<N extends JobName> = Jobs[N]['result']

/** How far a job is; `done` of `total` and what it said with its last step. */
export interface JobProgress {
  state: 'waiting' | 'running' | 'done' | 'failed'
  done: number
  total: number
  /** What the job keeps of its way, and what it answers in the end. */
  notes: unknown
}

/** What of the queues is read: one of them or all, of one state or all, each queue from `offset` on. */
export interface BoardPage {
  queue?: string
  state?: JobState
  offset: number
  limit: number
}

export interface JobQueue {
  /**
   * Adds a job and gives its id; one with the same deduplication id that still waits or runs is not added twice.
   *
   * @param options.requeueIfActive when one is running, queue another behind it, for work that the running one may have passed already.
   */
  add<N extends JobName>(
    name: N,
    data: JobData<N>,
    options?: { id?: string; requeueIfActive?: boolean },
  ): Promise<string>
  /**
   * Adds a job and waits for its answer. The job is done also when nobody waits any more.
   * @throws the `Failure` that the job ended with; Failure JOBS_UNAVAILABLE when there is no answer after `limitMs`.
   */
  perform<N extends JobName>(name: N, data: JobData<N>, limitMs?: number): Promise<JobResult<N>>
  /** Of a job that was added; null when there is no such job, or none any more. */
  progress(name: JobName, id: string): Promise<JobProgress | null>
  /**
   * Adds a job that is done only while it is waited for: what runs is broken off within a second once `leaving` is
   * aborted, and half a minute after the death of this process.
   * @throws the `Failure` that the job ended with; Failure RATE_LIMITED when too many wait already, JOBS_UNAVAILABLE when
   * nobody is there to do it; the reason of `leaving`.
   */
  performWhileConnected<N extends JobName>(
    name: N,
    data: JobData<N>,
    leaving: AbortSignal,
  ): Promise<JobResult<N>>
  /** What the queues hold, newest first; nothing of what jobs are given. @throws Failure NOT_FOUND, JOBS_UNAVAILABLE */
  board(page: BoardPage): Promise<QueueReport[]>
  /**
   * A failed job is done again, with all its attempts, and its name given.
   * @throws Failure NOT_FOUND; BAD_REQUEST `job_not_failed`, or `job_awaited` when it is done only while it is waited for.
   */
  retry(queue: string, id: string): Promise<string>
  close(): Promise<void>
}
