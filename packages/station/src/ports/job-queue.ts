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
import type { Actor } from './actor.ts'
import type { EditableTags, VideoList } from './outside.ts'

/** The jobs by name: what they are given, and what they answer. Each may run twice, so each is repeatable. */
export interface Jobs {
  /** Library and disk agree again (contract: start of the service). */
  'reconcile-media': { given: Record<string, never>; answer: undefined }
  /** An empty library is filled with synthesised pieces. */
  'demo-library': { given: Record<string, never>; answer: undefined }
  /** Old history and audit entries leave, with uploads that were never committed. */
  'purge-expired': { given: Record<string, never>; answer: undefined }
  /** The song of a paid order is queued, or it is settled that it cannot be. */
  'queue-donation': { given: { donationId: string }; answer: undefined }
  /** Payments are read from the services that do not post them. */
  'poll-donations': { given: Record<string, never>; answer: undefined }
  /** Orders expire, and what others left half done with payments is finished. */
  'sweep-donations': { given: Record<string, never>; answer: undefined }
  /** Helper accounts that were not activated in time leave. */
  'purge-accounts': { given: Record<string, never>; answer: undefined }
  /** Loudness, silence and outline of all tracks that were not measured yet, or have another file since. */
  'measure-loudness': { given: Record<string, never>; answer: undefined }
  /** Lyrics of all tracks that have none yet, one by one. */
  'prefetch-lyrics': { given: Record<string, never>; answer: undefined }
  /** What is given of a track: its tags, in the file and in the library, its lyrics and their offset in seconds. */
  'edit-track': {
    given: {
      songId: string
      tags?: EditableTags
      lyrics?: LyricsEntry
      offset?: number
      /** What the log says of the circumstances. */
      info?: Record<string, unknown>
      actor: Actor
    }
    answer: { songId: string; isChanged: boolean }
  }
  /** `uploads`: files that wait for their commit, and what the actor has committed within a day; no quota counts there. */
  'delete-tracks': {
    given: { songIds: string[]; scope: TrackScope; actor: Actor }
    answer: { results: TrackOutcome[]; removedArtists: RemovedArtist[] }
  }
  'move-tracks': {
    given: { songIds: string[]; targetMode: Mode; scope: TrackScope; actor: Actor }
    answer: { results: TrackOutcome[]; removedArtists: RemovedArtist[] }
  }
  'delete-clips': {
    given: { family: ClipFamily; ids: string[]; actor: Actor }
    answer: { results: ClipResult[] }
  }
  'move-clips': {
    given: { family: ClipFamily; ids: string[]; targetMode: Mode; actor: Actor }
    answer: { results: ClipResult[] }
  }
  'lyrics-batch': {
    given: { songIds: string[]; force: boolean; actor: Actor }
    answer: { results: LyricsBatchResult[] }
  }
  /** The tracks behind a video or playlist link. */
  'list-videos': { given: { url: string }; answer: VideoList }
  /** The sound of a video is taken in and waits for its commit, as an uploaded file does. */
  'import-video': { given: { url: string; mode: Mode; actor: Actor }; answer: Omit<Track, 'id'> }
}

/** Which tracks a batch may change. */
export type TrackScope = 'library' | 'uploads'

/** What became of one track; a refusal has the details that its code asks for. */
export type TrackOutcome = TrackResult & {
  removedFromQueue: number
  details?: Record<string, string | number | boolean | null>
}

export type JobName = keyof Jobs
export type Given<N extends JobName> = Jobs[N]['given']
export type Answer<N extends JobName> = Jobs[N]['answer']

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
   * @param options.again while one runs, another is done after it: for what the one that runs may have passed already.
   */
  add<N extends JobName>(
    name: N,
    given: Given<N>,
    options?: { id?: string; again?: boolean },
  ): Promise<string>
  /**
   * Adds a job and waits for its answer. The job is done also when nobody waits any more.
   * @throws the `Failure` that the job ended with; Failure JOBS_UNAVAILABLE when there is no answer after `limitMs`.
   */
  perform<N extends JobName>(name: N, given: Given<N>, limitMs?: number): Promise<Answer<N>>
  /** Of a job that was added; null when there is no such job, or none any more. */
  progress(name: JobName, id: string): Promise<JobProgress | null>
  /**
   * Adds a job that is done only while it is waited for: what runs is broken off within a second once `leaving` is
   * aborted, and half a minute after the death of this process.
   * @throws the `Failure` that the job ended with; Failure RATE_LIMITED when too many wait already, JOBS_UNAVAILABLE when
   * nobody is there to do it; the reason of `leaving`.
   */
  performWhileWanted<N extends JobName>(name: N, given: Given<N>, leaving: AbortSignal): Promise<Answer<N>>
  /** What the queues hold, newest first; nothing of what jobs are given. @throws Failure NOT_FOUND, JOBS_UNAVAILABLE */
  board(page: BoardPage): Promise<QueueReport[]>
  /**
   * A failed job is done again, with all its attempts, and its name given.
   * @throws Failure NOT_FOUND; BAD_REQUEST `job_not_failed`, or `job_awaited` when it is done only while it is waited for.
   */
  retry(queue: string, id: string): Promise<string>
  close(): Promise<void>
}
