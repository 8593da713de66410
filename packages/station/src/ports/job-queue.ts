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
import type { EditableTags } from './media/audio.ts'
import type { VideoList } from './media/video.ts'

/** Data and result of each job, by name. A job may run twice, so every job is idempotent. */
export interface Jobs {
  /** Brings library and disk into agreement (contract: start of the service). */
  'reconcile-media': { data: Record<string, never>; result: undefined }
  /** Fills an empty library with synthesised pieces. */
  'demo-library': { data: Record<string, never>; result: undefined }
  /** Deletes old history and audit entries, and uploads that were never committed. */
  'purge-expired': { data: Record<string, never>; result: undefined }
  /** Queues the track of a paid order, or refuses it. */
  'queue-donation': { data: { donationId: string }; result: undefined }
  /** Reads payments from the services that do not post them. */
  'poll-donations': { data: Record<string, never>; result: undefined }
  /** Expires orders and finishes the payment work that other jobs left incomplete. */
  'sweep-donations': { data: Record<string, never>; result: undefined }
  /** Has everybody told whose track is next, and deletes the wishes whose track is over. */
  'sweep-notifications': { data: Record<string, never>; result: undefined }
  /** Tells one listener that the track is next. */
  'send-notification': { data: { id: string }; result: undefined }
  /** Records what has happened as events, makes messages of them, and has those that are due delivered. */
  'sweep-events': { data: Record<string, never>; result: undefined }
  /** Tells alarms and paid tracks without a place by e-mail. */
  'send-mail': { data: Record<string, never>; result: undefined }
  /** Delivers the due messages of one webhook, in order. */
  'deliver-webhooks': { data: { webhookId: string }; result: undefined }
  /** Deletes helper accounts that were not activated in time. */
  'purge-accounts': { data: Record<string, never>; result: undefined }
  /** Measures loudness, cue points and waveform of all tracks that are unmeasured or whose file has changed. */
  'measure-loudness': { data: Record<string, never>; result: undefined }
  /** Measures one track ahead of its turn, unless it is measured. */
  'measure-track': { data: { trackId: string }; result: undefined }
  /**
   * Reads the covers of all tracks that were not looked at, or whose file has changed, and the colours of artists' images; deletes
   * covers that no track has.
   */
  'read-pictures': { data: Record<string, never>; result: undefined }
  /** Looks up lyrics for all tracks without any, one by one. */
  'prefetch-lyrics': { data: Record<string, never>; result: undefined }
  /** Changes the given parts of a track: its tags (in file and library), its lyrics, their offset in seconds. */
  'edit-track': {
    data: {
      songId: string
      tags?: EditableTags
      lyrics?: LyricsEntry
      offset?: number
      /** Details for the audit log. */
      info?: Record<string, unknown>
      actor: Actor
    }
    result: { songId: string; isChanged: boolean }
  }
  /** With scope `uploads`: staged files and the actor's commits of the last day, which no quota limits. */
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
  /** Lists the tracks behind a video or playlist link. */
  'list-videos': { data: { url: string }; result: VideoList }
  /** Stages the sound of a video for its commit, like an uploaded file. */
  'import-video': { data: { url: string; mode: Mode; actor: Actor }; result: Omit<Track, 'id'> }
}

/** The tracks that a batch may change. */
export type TrackScope = 'library' | 'uploads'

/** The result for one track of a batch; a refusal has the details that its code asks for. */
export type TrackOutcome = TrackResult & {
  removedFromQueue: number
  details?: Record<string, string | number | boolean | null>
}

export type JobName = keyof Jobs
export type JobData<N extends JobName> = Jobs[N]['data']
export type JobResult<N extends JobName> = Jobs[N]['result']

/** Progress of a job: `done` of `total` steps, with the notes of the last one. */
export interface JobProgress {
  state: 'waiting' | 'running' | 'done' | 'failed'
  done: number
  total: number
  /** Intermediate data of a running job; the result of a finished one. */
  notes: unknown
}

/** The part of the queues to read: one queue or all, one state or all, each queue from `offset` on. */
export interface BoardPage {
  queue?: string
  state?: JobState
  offset: number
  limit: number
}

export interface JobQueue {
  /**
   * Adds a job and returns its id; while one with the same deduplication id waits or runs, no second one is added.
   *
   * @param options.requeueIfActive queues another job behind a running one, which may already be past the new work.
   */
  add<N extends JobName>(
    name: N,
    data: JobData<N>,
    options?: { id?: string; requeueIfActive?: boolean },
  ): Promise<string>
  /**
   * Adds a job and waits for its result. The job runs even when nobody waits for it any more.
   * @throws the `Failure` that the job ended with; Failure JOBS_UNAVAILABLE when there is no answer after `limitMs`.
   */
  perform<N extends JobName>(name: N, data: JobData<N>, limitMs?: number): Promise<JobResult<N>>
  /** Reads the progress of a job; null when it is unknown or already removed. */
  progress(name: JobName, id: string): Promise<JobProgress | null>
  /**
   * Adds a job that runs only while its result is awaited: it is stopped within a second after `leaving` is aborted, and
   * half a minute after this process dies.
   * @throws the `Failure` that the job ended with; Failure RATE_LIMITED when too many are waiting, JOBS_UNAVAILABLE when
   * no jobs process is running; the reason of `leaving`.
   */
  performWhileConnected<N extends JobName>(
    name: N,
    data: JobData<N>,
    leaving: AbortSignal,
  ): Promise<JobResult<N>>
  /** Reads the jobs in the queues, newest first, without their data. @throws Failure NOT_FOUND, JOBS_UNAVAILABLE */
  board(page: BoardPage): Promise<QueueReport[]>
  /**
   * Queues a failed job again with all its attempts, and returns its name.
   * @throws Failure NOT_FOUND; BAD_REQUEST `job_not_failed`, or `job_awaited` for a job that runs only while it is awaited.
   */
  retry(queue: string, id: string): Promise<string>
  close(): Promise<void>
}
