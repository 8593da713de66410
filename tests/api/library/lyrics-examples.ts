import type { OpenApp } from '../../harness/stations/app.ts'

export const BATCH = '/api/admin/jobs/lyrics-batch'
export const SYNCED = '[00:01.00]one\n[00:02.00]two'

export const synced = {
  synced: true,
  lines: [1, 2].map((time) => ({ time, text: time === 1 ? 'one' : 'two' })),
}

export const plain = (...texts: string[]) => ({
  synced: false,
  lines: texts.map((text) => ({ time: 0, text })),
})

/** The log's entries about lyrics. */
export async function logged({ ports }: OpenApp) {
  const entries = await ports.data.audit.find({ operationType: 'edit_song_lyrics' })
  return entries.map(({ data: { details, ...song } }) => ({
    ...(song as { title: string; artist: string }),
    ...details,
  }))
}
