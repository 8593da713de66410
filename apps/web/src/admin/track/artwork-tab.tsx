import { useEffect, useState } from 'preact/hooks'
import { apiUrl } from '../../api.ts'
import { lazyPage } from '../../ui/loading/lazy-page.tsx'
import { Confirm } from '../confirm.tsx'
import { useCommand } from '../data/commands.ts'
import { useAdmin, useToasts } from '../data/panel.ts'
import { storedToken } from '../session.ts'
import { FileDrop } from '../ui/fields/file-drop.tsx'
import { Guarded } from '../ui/layers/guarded.tsx'
import { useTrack, useTrackTexts } from './use-track.ts'

const RULE = { allOf: ['artist_arts'], capabilities: ['artistArts'] } as const
const OUTDATES = ['/api/admin/artist-arts', '/api/admin/songs', '/api/admin/song-editor']
const Crop = lazyPage(async () => (await import('../crop/crop.tsx')).Crop)

/** The picture of the artist: shown, replaced by a crop of a chosen one, deleted. */
export function ArtworkTab() {
  const { artist, hasArt } = useTrack()
  const t = useTrackTexts()
  const { may } = useAdmin()
  const toasts = useToasts()
  const [chosen, setChosen] = useState<File | null>(null)
  /** Grows with each new picture, so that it is fetched again. */
  const [version, setVersion] = useState(0)
  const upload = useCommand('POST /api/admin/artist-arts/upload', { outdates: OUTDATES })
  const remove = useCommand('DELETE /api/admin/artist-arts/:artist', { outdates: OUTDATES })
  const picture = usePicture(hasArt && may(RULE) ? artist : null, version)
  const choose = ([file]: File[]) => {
    if (file?.type.startsWith('image/')) setChosen(file)
    else toasts.show({ is: 'failed', text: t.notPicture })
  }
  const send = async (body: Blob) => {
    if (!(await upload.run({ query: { artist }, body }))) return
    setChosen(null)
    setVersion(version + 1)
  }
  return (
    <Guarded rule={RULE}>
      {chosen ? (
        <Crop file={chosen} isBusy={upload.isBusy} onCrop={send} onClose={() => setChosen(null)} />
      ) : (
        <div class="track-art">
          {picture ? <img src={picture} alt={t.pictureOf(artist)} /> : <p class="hint">{t.noPicture}</p>}
          <div>
            <FileDrop label={t.choosePicture} hint={t.pictureHint} accept="image/*" onFiles={choose} />
            {hasArt && (
              <Confirm
                label={t.removePicture}
                about={artist}
                sure={t.removePictureSure}
                yes={t.removeYes}
                no={t.no}
                onYes={() => void remove.run({ params: { artist } })}
              />
            )}
          </div>
        </div>
      )}
    </Guarded>
  )
}

/** The address of the artist's picture; '' while there is none. */
function usePicture(artist: string | null, version: number): string {
  const [url, setUrl] = useState('')
  useEffect(() => {
    setUrl('')
    if (artist === null) return
    let shown = ''
    let isGone = false
    const token = storedToken()
    const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {}
    const path = `/api/admin/artist-arts/file/${encodeURIComponent(artist)}`
    fetch(apiUrl(path), { headers, credentials: 'include' })
      .then(async (answer) => {
        if (!answer.ok || isGone) return
        shown = URL.createObjectURL(await answer.blob())
        setUrl(shown)
      })
      .catch(() => {})
    return () => {
      isGone = true
      if (shown) URL.revokeObjectURL(shown)
    }
  }, [artist, version])
  return url
}
