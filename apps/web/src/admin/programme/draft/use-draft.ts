import type { Settings, SettingsBounds } from '@solstice/contracts'
import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import { localizedText } from '../../../ui/language/localized-text.ts'
import { createStore, type Store, useStore } from '../../../ui/store.ts'
import { call, failureText } from '../../data/client.ts'
import { hrefOf, navigate } from '../../data/location.ts'
import { usePanel } from '../../data/panel.ts'
import type { Queries } from '../../data/queries.ts'
import type { ReplyOf } from '../../data/routes.ts'
import { programmeTexts } from '../texts.ts'
import { changedSince, extend, isEmpty, type Patch, pruned, type SectionName, withPatch } from './draft.ts'

export type SettingsNow = ReplyOf<'GET /api/admin/settings'>
export type Preview = ReplyOf<'POST /api/admin/settings/bounds'>

/** The settings as they would be saved now. */
export interface Draft {
  settings: Settings
  bounds: SettingsBounds
  /** Artists without a group by mode; null until the station told. */
  unassigned: Preview['unassigned'] | null
  artistSongs: Preview['artistSongs'] | null
  /** The bounds belong to a former draft. */
  isCounting: boolean
  changed: readonly SectionName[]
  /** The fields of `generation` that are not saved yet. */
  unsaved: Partial<Settings['generation']>
  isBusy: boolean
  set<S extends SectionName>(section: S, fields: Partial<Settings[S]>): void
  save(): Promise<void>
  discard(): void
}

const DraftContext = createContext<Draft | null>(null)
export const DraftProvider = DraftContext.Provider

export function useDraft(): Draft {
  const draft = useContext(DraftContext)
  if (!draft) throw new Error('Not within a DraftProvider')
  return draft
}

/** Unsaved changes outlive the part; closing the window with some of them asks first. */
const patches = new WeakMap<Queries, Store<Patch>>()

function patchOf(queries: Queries): Store<Patch> {
  const known = patches.get(queries)
  if (known) return known
  const store = createStore<Patch>({})
  store.subscribe((patch) =>
    isEmpty(patch)
      ? removeEventListener('beforeunload', askToStay)
      : addEventListener('beforeunload', askToStay),
  )
  patches.set(queries, store)
  return store
}

const askToStay = (event: BeforeUnloadEvent) => event.preventDefault()

/** The draft over the settings that the station told last. */
export function useSettingsDraft(saved: SettingsNow): Draft {
  const { queries, toasts, locale } = usePanel()
  const store = patchOf(queries)
  const patch = pruned(saved.settings, useStore(store))
  const [isBusy, setBusy] = useState(false)
  const settings = withPatch(saved.settings, patch)
  const preview = usePreview(saved, settings.generation)
  useReminder(store)

  const save = async () => {
    // The field that was left last may have changed something since this was rendered.
    const sent = pruned(saved.settings, store.value)
    if (isBusy || isEmpty(sent)) return
    setBusy(true)
    try {
      // Only what was changed here: the station keeps the other fields, which others may have changed meanwhile.
      const reply = await call('POST /api/admin/settings', { body: sent })
      store.set(changedSince(sent, reply.settings, store.value))
      queries.entry('GET /api/admin/settings').state.set({ is: 'ready', data: reply, isStale: false })
      toasts.show({ is: 'done', text: localizedText(reply.message, locale) })
      if (reply.algorithmNotice)
        toasts.show({ is: 'note', text: localizedText(reply.algorithmNotice, locale) })
    } catch (error) {
      toasts.show({ is: 'failed', text: failureText(error, locale) })
    } finally {
      setBusy(false)
    }
  }
  return {
    settings,
    ...preview,
    changed: Object.keys(patch) as SectionName[],
    unsaved: patch.generation ?? {},
    isBusy,
    set: (section, fields) => store.set(pruned(saved.settings, extend(store.value, section, fields))),
    save,
    discard: () => store.set({}),
  }
}

/** Bounds are asked for this long after the last change of a group. */
const ASK_MS = 250

function usePreview(saved: SettingsNow, { GROUP_DEFS, NIGHT_GROUP_DEFS }: Settings['generation']) {
  const [known, setKnown] = useState<Preview | null>(null)
  const [isCounting, setCounting] = useState(true)
  const groups = JSON.stringify([GROUP_DEFS, NIGHT_GROUP_DEFS])
  useEffect(() => {
    const stop = new AbortController()
    setCounting(true)
    const ask = async () => {
      const generation = { GROUP_DEFS, NIGHT_GROUP_DEFS }
      try {
        setKnown(await call('POST /api/admin/settings/bounds', { body: { generation }, signal: stop.signal }))
        setCounting(false)
      } catch {
        // The former bounds stay, marked as such; the next change or answer of the station asks again.
      }
    }
    const timer = setTimeout(ask, ASK_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [groups, saved])
  return {
    bounds: known?.bounds ?? saved.bounds,
    unassigned: known?.unassigned ?? null,
    artistSongs: known?.artistSongs ?? null,
    isCounting,
  }
}

/** Says on leaving the part that unsaved changes are kept. */
function useReminder(store: Store<Patch>): void {
  const { toasts, locale } = usePanel()
  useEffect(
    () => () => {
      if (isEmpty(store.value)) return
      const t = programmeTexts[locale]
      const action = { label: t.back, run: () => navigate(hrefOf('programme')) }
      toasts.show({ is: 'note', text: t.kept, action })
    },
    [],
  )
}
