import { mkdir, readdir } from 'node:fs/promises'
import { collections, type DataStore } from '@solstice/station'
import { JsonCollection } from './collection.ts'

/**
 * The station's records in a folder: one file per collection, shared by all processes of a host.
 *
 * A change takes the collection's lock file, reads what others changed, and appends a line to the file, which counts when
 * it is whole. Now and then the file is replaced in one step by one without outdated records. Reads come from memory, and
 * only what was appended since is read.
 *
 * @throws when a file is there but cannot be understood; it is left as it is.
 */
export async function openJsonData(folder: string): Promise<DataStore> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const opened: { sweep(files: string[]): void; close(): Promise<void> }[] = []
  const collection = <T extends object, K extends keyof T & string>(name: keyof typeof collections) => {
    const one = new JsonCollection<T, K>(folder, name, collections[name])
    opened.push(one)
    return one
  }
  const data: DataStore = {
    tracks: collection('tracks'),
    lyrics: collection('lyrics'),
    offsets: collection('offsets'),
    artists: collection('artists'),
    history: collection('history'),
    settings: collection('settings'),
    clips: collection('clips'),
    groups: collection('groups'),
    admins: collection('admins'),
    sessions: collection('sessions'),
    sessionCuts: collection('sessionCuts'),
    audit: collection('audit'),
    bans: collection('bans'),
    donations: collection('donations'),
    ledger: collection('ledger'),
    inbox: collection('inbox'),
    measurements: collection('measurements'),
    waveforms: collection('waveforms'),
    covers: collection('covers'),
    trackCovers: collection('trackCovers'),
    notifications: collection('notifications'),
    pushKeys: collection('pushKeys'),
    webhooks: collection('webhooks'),
    webhookMessages: collection('webhookMessages'),
    webhookMarks: collection('webhookMarks'),
    alarms: collection('alarms'),
    events: collection('events'),
    mailMarks: collection('mailMarks'),
    watches: collection('watches'),
    async close() {
      await Promise.all(opened.map((one) => one.close()))
    },
  }
  const files = await readdir(folder)
  for (const one of opened) one.sweep(files)
  return data
}
