import { useState } from 'preact/hooks'
import { readStored, writeStored } from '../../ui/browser-storage.ts'
import { useStore } from '../../ui/store.ts'
import { followLink, hrefOf } from '../data/location.ts'
import { useAdmin, usePanel, useTexts } from '../data/panel.ts'
import { IntakeCount } from '../intake/drop-layer.tsx'
import type { Part, PartId } from '../parts.ts'
import { Icon, type IconName } from '../ui/icon.tsx'

const FOLDED = 'admin_rail'

interface Props {
  parts: readonly Part[]
  current: PartId | null
  onMore: () => void
}

/** The parts at the left: icons and words, or icons alone. */
export function Rail({ parts, current, name, home, onMore }: Props & { name: string; home: string }) {
  const { verdict, locale, login } = useAdmin()
  const t = useTexts()
  const [isFolded, setFolded] = useState(readStored(FOLDED) === 'folded')
  const fold = () => {
    writeStored(FOLDED, isFolded ? 'open' : 'folded')
    setFolded(!isFolded)
  }
  return (
    <nav class="rail" data-folded={isFolded} aria-label={t.parts}>
      <a class="rail-name" href={home} title={t.leave}>
        <Icon name="sun" size={20} />
        <span>{name}</span>
      </a>
      <ul>
        {parts.map(({ id, icon, title, key, access }) => (
          <li key={id}>
            <PartLink
              href={hrefOf(id)}
              icon={icon}
              label={title[locale]}
              isCurrent={id === current}
              isDenied={verdict(access).is === 'denied'}
              hint={`${title[locale]} · g ${key}`}
              count={id === 'on-air' ? <Waiting /> : id === 'add' ? <IntakeCount /> : null}
            />
          </li>
        ))}
      </ul>
      <div class="rail-end">
        <button type="button" class="rail-link" title={login} onClick={onMore}>
          <Icon name="me" size={20} />
          <span>{login}</span>
        </button>
        <button type="button" class="rail-link" aria-expanded={!isFolded} onClick={fold}>
          <span class="rail-fold">
            <Icon name="fold" size={20} />
          </span>
          <span>{isFolded ? t.unfold : t.fold}</span>
        </button>
      </div>
    </nav>
  )
}

/** Five places for the thumb; the rest is under More. */
export function BottomBar({ parts, current, onMore }: Props) {
  const { locale, verdict } = useAdmin()
  const t = useTexts()
  const has = (id: PartId) => parts.find((part) => part.id === id)
  const view = new URLSearchParams(location.search).get('view')
  const isInbox = current === 'on-air' && view === 'inbox'
  const link = (id: PartId) => {
    const part = has(id)
    if (!part) return null
    const isCurrent = id === current && !isInbox
    return (
      <li>
        <PartLink
          href={hrefOf(id)}
          icon={part.icon}
          label={part.title[locale]}
          isCurrent={isCurrent}
          isDenied={verdict(part.access).is === 'denied'}
        />
      </li>
    )
  }
  return (
    <nav class="bottom-bar" aria-label={t.parts}>
      <ul>
        {link('on-air')}
        <li>
          <PartLink
            href={hrefOf('on-air', { view: 'inbox' })}
            icon="inbox"
            label={t.inbox}
            isCurrent={isInbox}
            count={<Waiting />}
          />
        </li>
        {link('live')}
        {link('library')}
        <li>
          <button type="button" class="rail-link" onClick={onMore}>
            <Icon name="more" size={20} />
            <span>{t.more}</span>
            <IntakeCount />
          </button>
        </li>
      </ul>
    </nav>
  )
}

interface LinkProps {
  href: string
  icon: IconName
  label: string
  isCurrent: boolean
  isDenied?: boolean
  hint?: string
  count?: preact.ComponentChildren
}

function PartLink({ href, icon, label, isCurrent, isDenied = false, hint, count }: LinkProps) {
  return (
    <a
      class="rail-link"
      href={href}
      title={hint}
      aria-current={isCurrent ? 'page' : undefined}
      data-denied={isDenied}
      onClick={followLink(href)}
    >
      <Icon name={icon} size={20} />
      <span>{label}</span>
      {isDenied && <Icon name="lock" size={14} />}
      {count}
    </a>
  )
}

/** How many tracks are asked for. */
function Waiting() {
  const { log } = usePanel()
  const { length } = useStore(log.suggestions)
  const t = useTexts()
  if (!length) return null
  return (
    <em class="rail-count">
      <span class="unseen">{t.inbox}: </span>
      {length}
    </em>
  )
}
