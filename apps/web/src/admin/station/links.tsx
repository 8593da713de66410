import { useEffect, useState } from 'preact/hooks'
import { apiUrl } from '../../api.ts'
import { pathOf } from '../../ui/language/language.ts'
import { useAdmin } from '../data/panel.ts'
import { CopyButton } from './copy-button.tsx'
import { EmbedBuilder } from './embed-builder.tsx'
import { useStationTexts } from './texts.ts'

/** Addresses to hand out, as text and as a code for cameras. */
export function Links() {
  const t = useStationTexts()
  const { config, locale } = useAdmin()
  const page = (name: 'player' | 'guest') => new URL(pathOf({ page: name, locale }), location.origin).href
  const links = [
    { id: 'page', title: t.links.page, about: t.links.pageAbout, url: page('player') },
    ...(config.streamMode
      ? [
          {
            id: 'stream',
            title: t.links.stream,
            about: t.links.streamAbout,
            url: new URL(apiUrl('/api/stream/public.mp3'), location.origin).href,
          },
        ]
      : []),
    ...(config.radioHostsMode
      ? [{ id: 'guest', title: t.links.guest, about: t.links.guestAbout, url: page('guest') }]
      : []),
  ]
  return (
    <>
      <ul class="link-cards">
        {links.map(({ id, title, about, url }) => (
          <li key={id}>
            <Code text={url} label={t.codeOf(title)} />
            <div>
              <h2>{title}</h2>
              <p class="hint">{about}</p>
              <a href={url} target="_blank" rel="noreferrer">
                {url}
              </a>
              <p>
                <CopyButton text={url} about={title} />
              </p>
            </div>
          </li>
        ))}
      </ul>
      <EmbedBuilder />
    </>
  )
}

/** A QR code, dark on light in both themes, so that every camera reads it. */
function Code({ text, label }: { text: string; label: string }) {
  const [code, setCode] = useState<{ path: string; size: number } | null>(null)
  useEffect(() => {
    let isGone = false
    void import('lean-qr').then(({ generate }) => {
      const bits = generate(text)
      let path = ''
      for (let y = 0; y < bits.size; y++)
        for (let x = 0; x < bits.size; x++) if (bits.get(x, y)) path += `M${x} ${y}h1v1h-1z`
      if (!isGone) setCode({ path, size: bits.size })
    })
    return () => {
      isGone = true
    }
  }, [text])
  const size = code?.size ?? 0
  return (
    <svg class="qr-code" viewBox={`-4 -4 ${size + 8} ${size + 8}`} role="img" aria-label={label}>
      {code && <path d={code.path} fill="#000" shape-rendering="crispEdges" />}
    </svg>
  )
}
