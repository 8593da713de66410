import type { Command } from './commands.ts'

/**
 * Whether a command still counts when whoever sent it waits no longer (rule C2). A request is for the moment: who got no
 * answer has thought again by then. A fact stays so, and must not be lost.
 */
const lives: Record<Command['type'], 'request' | 'fact' | 'a fact with an order'> = {
  'library-changed': 'fact',
  'settings-changed': 'fact',
  'clips-changed': 'fact',
  'cue-points-changed': 'fact',
  // Who may not change the track does not: nothing of it shall leave the queue for that.
  'release-track': 'request',
  'switch-mode': 'request',
  'insert-group': 'request',
  // An order says itself until when it is wanted (rule A10).
  'add-song': 'a fact with an order',
  'remove-entry': 'request',
  skip: 'request',
  'request-track': 'request',
  'answer-track-request': 'request',
  'go-live': 'request',
  'leave-live': 'fact',
  'replica-gone': 'fact',
  // How the switches of somebody on the air stand. Nobody shall be heard who believes to be off.
  'set-mic': 'fact',
  'set-gain': 'fact',
  mute: 'request',
  kick: 'request',
  'ban-uid': 'request',
  'ban-guest': 'request',
  'request-guest': 'request',
  'answer-guest': 'request',
  'connect-guest': 'request',
  'enter-by-code': 'request',
  'set-code': 'request',
  // It names the code, so a later one stays.
  'forget-code': 'fact',
  'pause-queue': 'request',
  'resume-queue': 'request',
  'choose-background': 'request',
}

/** Whether a command is carried out however late it is read. */
export function isLasting(command: Command): boolean {
  if (command.type === 'add-song') return command.orderId !== undefined
  return lives[command.type] === 'fact'
}
