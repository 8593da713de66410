import { useRef, useState } from 'preact/hooks'
import { call, failureText } from '../data/client.ts'
import { useCommand } from '../data/commands.ts'
import { useAdmin, useToasts } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import type { ReplyOf } from '../data/routes.ts'
import { Field } from '../ui/fields/field.tsx'
import { List, Skeleton } from '../ui/state/list.tsx'
import { useAddTexts } from './add-context.ts'
import { LinkList } from './link-list.tsx'
import { linkKind, type Source } from './upload-item.ts'

type Playlist = ReplyOf<'POST /api/admin/video-track-info'>

/** Tracks from video links: one at once, or chosen from a playlist. */
export function LinkSource({ onLinks }: { onLinks: (sources: Source[]) => void }) {
  const t = useAddTexts()
  const status = useQuery('GET /api/admin/videodown-status')
  return (
    <List state={status} rows={2}>
      {({ available, videodownAvailable }) =>
        available ? (
          <Links onLinks={onLinks} />
        ) : (
          <div class="state">
            <p>
              <b>{t.linksOff}</b>
            </p>
            <p>{videodownAvailable ? t.linksOffFfmpeg : t.linksOffTool}</p>
          </div>
        )
      }
    </List>
  )
}

function Links({ onLinks }: { onLinks: (sources: Source[]) => void }) {
  const t = useAddTexts()
  const [link, setLink] = useState('')
  const { playlist, read, forget, stop } = usePlaylist()
  const kind = linkKind(link)
  const add = (sources: Source[]) => {
    onLinks(sources)
    setLink('')
    forget()
  }
  const addOne = () => add([{ is: 'link', url: link.trim(), title: link.trim() }])
  const isWrong = link.trim() !== '' && kind === 'none'
  return (
    <div class="add-links">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (kind === 'list') read(link)
          else if (kind !== 'none') addOne()
        }}
      >
        <Field
          label={t.link}
          hint={t.linkHint}
          error={isWrong ? t.linkWrong : null}
          type="url"
          autocomplete="off"
          placeholder="https://"
          value={link}
          onValue={setLink}
        />
        <div class="add-buttons">
          {kind !== 'list' && (
            <button type="submit" class="button primary" aria-disabled={kind === 'none'}>
              {t.addLink}
            </button>
          )}
          {kind === 'list' && (
            <button type="submit" class="button primary">
              {t.showList}
            </button>
          )}
          {kind === 'video-in-list' && (
            <button type="button" class="button" onClick={() => read(link)}>
              {t.showList}
            </button>
          )}
        </div>
      </form>
      {playlist === 'reading' && (
        <>
          <p class="hint" role="status">
            {t.reading}{' '}
            <button type="button" class="text-button" onClick={stop}>
              {t.stopReading}
            </button>
          </p>
          <Skeleton rows={4} />
        </>
      )}
      {playlist && playlist !== 'reading' && <LinkList playlist={playlist} onAdd={add} />}
      <Cookies />
    </div>
  )
}

/** The tracks behind a link; reading them is stopped by closing the request. */
function usePlaylist() {
  const { locale } = useAdmin()
  const toasts = useToasts()
  const [playlist, setPlaylist] = useState<Playlist | 'reading' | null>(null)
  const reading = useRef<AbortController>(null)
  const read = (link: string) => {
    reading.current?.abort()
    const own = new AbortController()
    reading.current = own
    setPlaylist('reading')
    call('POST /api/admin/video-track-info', { body: { url: link.trim(), lang: locale }, signal: own.signal })
      .then(setPlaylist)
      .catch((error) => {
        setPlaylist(null)
        if (!own.signal.aborted) toasts.show({ is: 'failed', text: failureText(error, locale) })
      })
  }
  return { playlist, read, forget: () => setPlaylist(null), stop: () => reading.current?.abort() }
}

/** For videos that need a login; what is saved is never shown again. */
function Cookies() {
  const t = useAddTexts()
  const [cookies, setCookies] = useState('')
  const save = useCommand('POST /api/admin/video-cookies', { success: t.cookiesSaved })
  return (
    <details class="add-cookies">
      <summary>{t.cookies}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (cookies.trim()) void save.run({ body: { cookies } }).then((reply) => reply && setCookies(''))
        }}
      >
        <label class="field">
          <span>{t.cookiesHint}</span>
          <textarea
            rows={4}
            spellcheck={false}
            autocomplete="off"
            maxLength={500_000}
            value={cookies}
            onInput={({ currentTarget }) => setCookies(currentTarget.value)}
          />
        </label>
        <button type="submit" class="button" aria-disabled={save.isBusy || !cookies.trim()}>
          {t.cookiesSave}
        </button>
      </form>
    </details>
  )
}
