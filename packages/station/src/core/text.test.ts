import t from 'tap'
import { cleanNickname } from './text.ts'

t.test('a nickname is one line of visible text', async (t) => {
  t.equal(cleanNickname('  Їв\u0000га\n\u202e \u200b '), 'Ївга')
  t.equal(cleanNickname('🙂'.repeat(40)), '🙂'.repeat(32))
  t.equal(cleanNickname('👩\u200d🚀'), '👩\u200d🚀', 'joiners hold it together')
  t.equal(cleanNickname(`${'a'.repeat(31)} b`), 'a'.repeat(31))
  t.equal(cleanNickname(' \u200d\u2028\ud800 '), '')
  for (const unseen of ['\u3164', '\u2800', '\u115f', '\u034f', ' \ufe0f', '\u0301'])
    t.equal(cleanNickname(unseen), '', 'nothing is seen of it')
  t.equal(cleanNickname('<b>'), '<b>')
})
