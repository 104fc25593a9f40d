import torch
from torch import nn, optim
from torch.optim.lr_scheduler import LinearLR, CosineAnnealingLR, SequentialLR
lr = 6e-4
warmup = int(0.1 * 2000)
model = nn.Linear(2, 2)
opt = optim.AdamW(model.parameters(), lr, betas=(0.9, 0.95), weight_decay=0.1)
sched = SequentialLR(opt, [LinearLR(opt, 0.01, total_iters=warmup), CosineAnnealingLR(opt, 2000 - warmup, eta_min=lr / 10)], milestones=[warmup])
for step in range(2000):
    loss = model(torch.ones(2)).sum()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    sched.step()
