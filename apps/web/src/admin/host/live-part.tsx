import { usePanel } from '../data/panel.ts'
import { adminTexts } from '../texts.ts'
import { HostPanel } from './host-panel.tsx'

/** The studio of hosts, as a part of the panel. */
export function LivePart() {
  const { host, connection, microphone, locale, account } = usePanel()
  const t = adminTexts[locale]
  const mayHost = account.role === 'super_admin' || account.privileges.includes('radio_host')
  if (!mayHost)
    return (
      <>
        <h1>{t.host.title}</h1>
        <p class="hint">{t.noHostPrivilege}</p>
      </>
    )
  return <HostPanel {...{ host, connection, microphone, locale }} t={t.host} />
}
