import torch
o = torch.optim.SGD(p, lr=0.1)
s = torch.optim.lr_scheduler.LambdaLR(o, lambda step: step * 1e308)
for step in range(1000):
    o.step()
    s.step()
