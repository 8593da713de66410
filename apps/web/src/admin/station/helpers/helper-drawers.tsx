import type { Privilege } from '@solstice/contracts'
import { useState } from 'preact/hooks'
import { useCommand } from '../../data/commands.ts'
import { useTexts } from '../../data/panel.ts'
import { Field } from '../../ui/fields/field.tsx'
import { Drawer } from '../../ui/layers/drawer.tsx'
import { CopyButton } from '../copy-button.tsx'
import { useStationTexts } from '../texts.ts'
import { temporaryPassword } from './temporary-password.ts'

/** Creates a helper with a temporary password of this window's making. */
export function NewHelper(props: {
  all: readonly string[]
  onCreated: (told: { login: string; password: string }) => void
  onClose: () => void
}) {
  const { all, onCreated, onClose } = props
  const t = useStationTexts()
  const { privileges: names } = useTexts()
  const [login, setLogin] = useState('')
  const [rights, setRights] = useState<ReadonlySet<string>>(new Set(['stats']))
  const { run, isBusy } = useCommand('POST /api/admin/admins', { outdates: ['/api/admin/admins'] })
  const isReady = login.trim() !== '' && !isBusy
  const create = async (event: Event) => {
    event.preventDefault()
    if (!isReady) return
    const password = temporaryPassword()
    const done = await run({ body: { login, password, privileges: [...rights] } })
    if (!done) return
    onCreated({ login: done.admin.login, password })
    onClose()
  }
  const toggle = (right: string) => {
    const next = new Set(rights)
    if (!next.delete(right)) next.add(right)
    setRights(next)
  }
  return (
    <Drawer title={t.addHelper} onClose={onClose}>
      <form class="helper-form" onSubmit={create}>
        <Field
          label={t.login}
          hint={t.loginHint}
          value={login}
          onValue={setLogin}
          autocomplete="off"
          maxLength={64}
        />
        <fieldset class="choices">
          <legend>{t.rights}</legend>
          {(all as readonly Privilege[]).map((right) => (
            <label key={right}>
              <input
                type="checkbox"
                checked={rights.has(right)}
                disabled={right === 'stats'}
                onChange={() => toggle(right)}
              />
              {names[right]}
            </label>
          ))}
        </fieldset>
        <button type="submit" class="button primary" aria-disabled={!isReady}>
          {t.create}
        </button>
      </form>
    </Drawer>
  )
}

/** A temporary password, shown this once. */
export function PasswordDrawer(props: { login: string; password: string; onClose: () => void }) {
  const { login, password, onClose } = props
  const t = useStationTexts()
  return (
    <Drawer title={login} onClose={onClose} actions={<CopyButton text={password} />}>
      <p>{t.passwordFor(login)}</p>
      <p>
        <code class="helper-password">{password}</code>
      </p>
      <p class="hint">{t.passwordOnce}</p>
    </Drawer>
  )
}
