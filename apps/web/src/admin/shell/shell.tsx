import './shell.css'
import './sheets.css'
import './strip/strip.css'
import '../../live/form.css'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useOnAirGuard } from '../../live/on-air-guard.ts'
import { useStore } from '../../ui/store.ts'
import { followKeys, useKeys } from '../data/keys.ts'
import { followHistory, hrefOf, navigate, usePlace } from '../data/location.ts'
import { usePaletteItems } from '../data/palette.ts'
import { useAdmin, usePanel, useStation, useTexts, useToasts } from '../data/panel.ts'
import { DropLayer } from '../intake/drop-layer.tsx'
import { type Part, parts } from '../parts.ts'
import { Denied } from '../ui/layers/guarded.tsx'
import { KeysSheet } from './keys-sheet.tsx'
import type { Layer } from './layer.ts'
import { MoreSheet } from './more-sheet.tsx'
import { Palette } from './palette/palette.tsx'
import { BottomBar, Rail } from './rail.tsx'
import { AirStrip } from './strip/air-strip.tsx'

/** How long after `g` the letter of a part is waited for. */
const GO_MS = 1_500

/** What surrounds every part: the rail, the air, the palette, the keys. */
export function Shell({ name, home }: { name: string; home: string }) {
  const { verdict, locale } = useAdmin()
  const { logOut, host } = usePanel()
  const t = useTexts()
  const place = usePlace()
  const [layer, setLayer] = useState<Layer | null>(null)
  const shown = parts.filter(({ access }) => verdict(access).is !== 'hidden')
  const part = place.part ? shown.find(({ id }) => id === place.part) : shown[0]
  const main = useRef<HTMLElement>(null)
  // Hosts may look at other parts while they are on air.
  useOnAirGuard(useStore(host.state).phase === 'live')
  useEffect(followHistory, [])
  useEffect(followKeys, [])
  useShellKeys(shown, setLayer)
  const does = (id: string, title: string, run: () => void) => ({ id, title, about: t.paletteDo, run })
  usePaletteItems([
    ...shown.map(({ id, title }) => ({
      id: `part ${id}`,
      title: title[locale],
      about: t.paletteGo,
      words: Object.values(title).join(' '),
      run: () => navigate(hrefOf(id)),
    })),
    does('keys', t.keys, () => setLayer('keys')),
    does('more', `${t.theme}, ${t.language.toLowerCase()}`, () => setLayer('more')),
    does('leave', t.leave, () => location.assign(home)),
    does('log out', t.logOut, logOut),
  ])
  // A screen reader goes on at the new part; the first one is where the page begins.
  const isFirst = useRef(true)
  useEffect(() => {
    if (!isFirst.current) {
      scrollTo(0, 0)
      main.current?.focus({ preventScroll: true })
    }
    isFirst.current = false
  }, [part?.id])

  const open = (next: Layer) => () => setLayer(next)
  // The next layer may be open by the time the former one says that it closed.
  const closing = (closed: Layer) => () => setLayer((now) => (now === closed ? null : now))
  return (
    <div class="panel">
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        {t.skipToContent}
      </button>
      <Rail parts={shown} current={part?.id ?? null} name={name} home={home} onMore={open('more')} />
      <AirStrip onPalette={open('palette')} />
      <main id="part" class="part-area" ref={main} tabIndex={-1}>
        <Offline />
        {part ? <Shown part={part} /> : <Unknown />}
      </main>
      <BottomBar parts={shown} current={part?.id ?? null} onMore={open('more')} />
      <DropLayer />
      {layer === 'palette' && <Palette onClose={closing('palette')} />}
      {layer === 'keys' && <KeysSheet parts={shown} onClose={closing('keys')} />}
      {layer === 'more' && (
        <MoreSheet parts={shown} home={home} onClose={closing('more')} onLayer={setLayer} />
      )}
    </div>
  )
}

/** A part. The press that opens it is answered by the rail and a heading; the rest is drawn after that was painted. */
function Shown({ part }: { part: Part }) {
  const { verdict, locale } = useAdmin()
  const [painted, setPainted] = useState<string | null>(null)
  useEffect(() => setPainted(part.id), [part.id])
  const found = verdict(part.access)
  if (found.is === 'open' && painted === part.id) return <part.Component key={part.id} />
  return (
    <>
      <h1 class={found.is === 'open' ? 'unseen' : undefined}>{part.title[locale]}</h1>
      {found.is === 'denied' && <Denied right={found} />}
    </>
  )
}

function Unknown() {
  const t = useTexts()
  return (
    <>
      <h1>{t.unknownPart}</h1>
      <button type="button" class="button" onClick={() => navigate(hrefOf(''))}>
        {t.toOnAir}
      </button>
    </>
  )
}

function Offline() {
  const link = useStore(useStation().link)
  const t = useTexts()
  return (
    <p class="refusal" role="status">
      {link === 'online' ? null : t.offline}
    </p>
  )
}

/** `?`, `/`-less: `g` and a letter for a part, Ctrl or ⌘ K for the palette. */
function useShellKeys(shown: readonly Part[], open: (layer: Layer) => void): void {
  const t = useTexts()
  const { locale } = useAdmin()
  const toasts = useToasts()
  const going = useRef(0)
  const isGoing = () => Date.now() - going.current < GO_MS
  useKeys(t.keysEverywhere, [
    { key: '?', label: t.keys, run: () => open('keys') },
    { key: 'z', label: t.keyAct, run: toasts.act },
    {
      key: 'g',
      label: t.keyGo,
      run: () => {
        going.current = Date.now()
      },
    },
  ])
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const isPalette = event.code === 'KeyK' && (event.ctrlKey || event.metaKey)
      if (isPalette && !document.querySelector('dialog[open]')) open('palette')
      else if (isGoing()) {
        const part = shown.find(({ key }) => event.code === `Key${key.toUpperCase()}`)
        if (!part) return
        going.current = 0
        navigate(hrefOf(part.id))
      } else return
      event.preventDefault()
      event.stopPropagation()
    }
    addEventListener('keydown', pressed, { capture: true })
    return () => removeEventListener('keydown', pressed, { capture: true })
  }, [shown.map(({ id }) => id).join(), locale])
}
