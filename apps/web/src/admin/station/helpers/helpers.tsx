import type { HelperAdmin, Privilege } from '@solstice/contracts'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Confirm } from '../../confirm.tsx'
import { useCommand } from '../../data/commands.ts'
import { useTexts } from '../../data/panel.ts'
import { useQuery } from '../../data/query.ts'
import { Badge } from '../../ui/state/badge.tsx'
import { List } from '../../ui/state/list.tsx'
import { usePhone } from '../../ui/table/use-phone.ts'
import { useStationTexts } from '../texts.ts'
import { useOutdatedByEntries } from '../use-outdated.ts'
import { NewHelper, PasswordDrawer } from './helper-drawers.tsx'
import { HelperSessions } from './helper-sessions.tsx'
import { temporaryPassword } from './temporary-password.ts'

const PATH = '/api/admin/admins'
/** Every helper has it. */
const FIXED = 'stats'

/** The helpers, and the rights of each. */
export function Helpers() {
  const t = useStationTexts()
  const helpers = useQuery(`GET ${PATH}`)
  useOutdatedByEntries(/^admin_(create|delete|privileges|activate|login_change|password_reset)$/, PATH)
  const [isAdding, setAdding] = useState(false)
  /** Told once, right after it was set. */
  const [told, setTold] = useState<{ login: string; password: string } | null>(null)
  return (
    <>
      <div class="station-tools">
        <p class="hint">{t.helpersHint}</p>
        <button type="button" class="button" onClick={() => setAdding(true)}>
          {t.addHelper}
        </button>
      </div>
      <List state={helpers} isEmpty={({ admins }) => !admins.length} empty={<p>{t.helpersEmpty}</p>}>
        {({ admins, allPrivileges }) => <Matrix helpers={admins} all={allPrivileges} onPassword={setTold} />}
      </List>
      {isAdding && (
        <NewHelper
          all={helpers.is === 'ready' ? helpers.data.allPrivileges : []}
          onCreated={setTold}
          onClose={() => setAdding(false)}
        />
      )}
      {told && !isAdding && <PasswordDrawer {...told} onClose={() => setTold(null)} />}
    </>
  )
}

type Told = (told: { login: string; password: string }) => void

function Matrix(props: { helpers: readonly HelperAdmin[]; all: readonly string[]; onPassword: Told }) {
  const { helpers, all, onPassword } = props
  const t = useStationTexts()
  const { privileges: names } = useTexts()
  const isPhone = usePhone()
  const rights = all as readonly Privilege[]
  if (isPhone)
    return (
      <ul class="helpers-list">
        {helpers.map((helper) => (
          <HelperItem key={helper.adminId} helper={helper} all={rights} onPassword={onPassword} />
        ))}
      </ul>
    )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard
    <section class="helpers-scroll" tabIndex={0} aria-label={t.helpers}>
      <table class="helpers">
        <thead>
          <tr>
            <th scope="col">{t.helper}</th>
            {rights.map((right) => (
              <th key={right} scope="col" class="helpers-head">
                <span>{names[right]}</span>
              </th>
            ))}
            <th scope="col">
              <span class="unseen">{t.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {helpers.map((helper) => (
            <HelperRow key={helper.adminId} helper={helper} all={rights} onPassword={onPassword} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface HelperProps {
  helper: HelperAdmin
  all: readonly Privilege[]
  onPassword: Told
}

function HelperRow({ helper, all, onPassword }: HelperProps) {
  const rights = useRights(helper)
  return (
    <tr>
      <th scope="row">
        <Who helper={helper} />
      </th>
      {all.map((right) => (
        <td key={right}>
          <Right class="helpers-cell" helper={helper} right={right} rights={rights} />
        </td>
      ))}
      <td>
        <Actions helper={helper} onPassword={onPassword} />
      </td>
    </tr>
  )
}

/** A helper on a phone: the rights unfold. */
function HelperItem({ helper, all, onPassword }: HelperProps) {
  const t = useStationTexts()
  const { privileges: names } = useTexts()
  const rights = useRights(helper)
  return (
    <li>
      <Who helper={helper} />
      <details>
        <summary>{t.rightsOf(helper.privileges.length, all.length)}</summary>
        {all.map((right) => (
          <Right key={right} class="helpers-right" helper={helper} right={right} rights={rights}>
            {names[right]}
          </Right>
        ))}
      </details>
      <Actions helper={helper} onPassword={onPassword} />
    </li>
  )
}

function Who({ helper: { login, authorized } }: { helper: HelperAdmin }) {
  const t = useStationTexts()
  return (
    <span class="helpers-who">
      <b>{login}</b>
      <Badge tone={authorized ? 'plain' : 'warning'}>{authorized ? t.activated : t.notActivated}</Badge>
    </span>
  )
}

/** A right of a helper, given and taken at once. */
function Right(props: {
  helper: HelperAdmin
  right: Privilege
  rights: Rights
  class: string
  children?: ComponentChildren
}) {
  const { helper, right, rights, children } = props
  const { privileges: names } = useTexts()
  const name = `${helper.login}: ${names[right]}`
  return (
    <label class={props.class} title={name}>
      <input
        type="checkbox"
        aria-label={name}
        checked={rights.has(right)}
        disabled={right === FIXED}
        onChange={() => rights.toggle(right)}
      />
      {children}
    </label>
  )
}

interface Rights {
  has(right: Privilege): boolean
  toggle(right: Privilege): void
}

/** The rights of a helper as chosen here. Each change is sent after the one before, with all that were chosen by then. */
function useRights({ adminId, privileges }: HelperAdmin): Rights {
  const { run } = useCommand(`PUT ${PATH}/:id/privileges`, { outdates: [PATH] })
  const [wanted, setWanted] = useState<readonly string[] | null>(null)
  const latest = useRef<readonly string[] | null>(null)
  const isSending = useRef(false)
  useEffect(() => {
    if (!isSending.current) setWanted(null)
  }, [privileges.join()])
  const send = async () => {
    if (isSending.current) return
    isSending.current = true
    while (latest.current) {
      const body = { privileges: [...latest.current] }
      latest.current = null
      if (!(await run({ params: { id: adminId }, body }))) setWanted(null)
    }
    isSending.current = false
  }
  const chosen = wanted ?? privileges
  return {
    has: (right) => chosen.includes(right),
    toggle(right) {
      const next = chosen.includes(right) ? chosen.filter((other) => other !== right) : [...chosen, right]
      setWanted(next)
      latest.current = next
      void send()
    },
  }
}

function Actions({ helper, onPassword }: { helper: HelperAdmin; onPassword: Told }) {
  const t = useStationTexts()
  const { adminId, login } = helper
  const reset = useCommand(`PUT ${PATH}/:id/reset-password`, { outdates: [PATH] })
  const remove = useCommand(`DELETE ${PATH}/:id`, { outdates: [PATH] })
  const renew = async () => {
    const password = temporaryPassword()
    if (await reset.run({ params: { id: adminId }, body: { newPassword: password } }))
      onPassword({ login, password })
  }
  const [isOpen, setOpen] = useState(false)
  return (
    <span class="helpers-actions">
      <button
        type="button"
        class="plain"
        aria-label={`${t.sessions}: ${login}`}
        onClick={() => setOpen(true)}
      >
        {t.sessions}
      </button>
      {isOpen && <HelperSessions helper={helper} onClose={() => setOpen(false)} />}
      <Confirm
        label={t.resetPassword}
        about={login}
        sure={t.resetSure}
        yes={t.yes}
        no={t.no}
        onYes={() => void renew()}
      />
      <Confirm
        label={t.remove}
        about={login}
        sure={t.removeHelperSure}
        yes={t.remove}
        no={t.no}
        onYes={() => void remove.run({ params: { id: adminId } })}
      />
    </span>
  )
}
